import '../shared/base.css'
import { ConveneProvider } from 'convene-client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../shared/ui/toasts.tsx'
import { BrandProvider } from './brand.tsx'
import { client } from './client.ts'
import { Crashes } from './crashes.tsx'
import { firstTexts, LanguageProvider } from './language.tsx'
import './install.tsx'
import { Shell } from './shell.tsx'
import { TelegramProvider } from './telegram/telegram.tsx'
import { Updates } from './updates.tsx'

client.connect()

const first = await firstTexts()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <ConveneProvider client={client}>
        <BrandProvider>
          <LanguageProvider first={first}>
            <Toasts>
              <Crashes>
                <TelegramProvider>
                  <Updates />
                  <Shell />
                </TelegramProvider>
              </Crashes>
            </Toasts>
          </LanguageProvider>
        </BrandProvider>
      </ConveneProvider>
    </StrictMode>,
  )
