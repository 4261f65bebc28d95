import '../shared/base.css'
import './console.css'
import { ConveneProvider } from 'convene-client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrandProvider } from '../shared/brand.tsx'
import { Toasts } from '../shared/ui/toasts.tsx'
import { client } from './client.ts'
import { Crashes } from './crashes.tsx'
import { KeysProvider } from './keys.tsx'
import { LanguageProvider, texts } from './language.tsx'
import { applyScheme } from './scheme.ts'
import { Gate } from './session/gate.tsx'
import { Shell } from './shell.tsx'

applyScheme()

const first = await texts.first()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <ConveneProvider client={client}>
        <BrandProvider>
          <LanguageProvider first={first}>
            <Toasts>
              <Crashes>
                <KeysProvider>
                  <Gate>
                    <Shell />
                  </Gate>
                </KeysProvider>
              </Crashes>
            </Toasts>
          </LanguageProvider>
        </BrandProvider>
      </ConveneProvider>
    </StrictMode>,
  )
