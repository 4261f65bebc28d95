import '../shared/base.css'
import { ConveneProvider } from 'convene-client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../shared/ui/toasts.tsx'
import { client } from './client.ts'
import { LanguageProvider } from './language.tsx'
import { Shell } from './shell.tsx'

client.connect()

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <ConveneProvider client={client}>
        <LanguageProvider>
          <Toasts>
            <Shell />
          </Toasts>
        </LanguageProvider>
      </ConveneProvider>
    </StrictMode>,
  )
