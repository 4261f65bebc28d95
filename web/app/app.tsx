import '../shared/base.css'
import { ConveneProvider } from 'convene-client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../shared/ui/toasts.tsx'
import { BrandProvider } from '../shared/brand.tsx'
import { client } from './client.ts'
import { Crashes } from './crashes.tsx'
import { firstTexts, LanguageProvider } from './language.tsx'
import './install.tsx'
import { fetchFirst, Shell } from './shell.tsx'
import { TelegramProvider } from './telegram/telegram.tsx'
import { Updates } from './updates.tsx'

client.connect()
fetchFirst()

const root = document.getElementById('root')
// The page itself says so where a part of the app cannot be fetched, as after a new version.
const first = await firstTexts().catch(() => null)
if (root && first === null) root.dataset.failed = ''
else if (root && first)
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
