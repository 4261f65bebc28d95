import type { Convene } from 'convene-client'
import { ConveneProvider } from 'convene-client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { type Brand, BrandProvider } from '../shared/brand.tsx'
import type { LoadedTexts } from '../shared/first-texts.ts'
import { Toasts } from '../shared/ui/toasts.tsx'
import { client } from './client.ts'
import { Crashes } from './crashes.tsx'
// Small modules that most screens share: imported here, they become part of this file instead of separate ones.
import '../shared/dates.ts'
import './people/problems.ts'
import { LanguageProvider } from './language.tsx'
import { Shell } from './shell.tsx'
import { TelegramProvider } from './telegram/telegram.tsx'
import type { en } from './texts/en.ts'
import { Updates } from './updates.tsx'

/** Renders the app once the session is known, so that the first screen is the right one. */
export async function show(
  root: HTMLElement,
  texts: LoadedTexts<typeof en>,
  brand: Brand | null,
  prepare?: (of: Convene) => void,
): Promise<void> {
  client.connect()
  await client.ready
  if (client.session.get().state === 'signed-in') prepare?.(client)
  createRoot(root).render(
    <StrictMode>
      <ConveneProvider client={client}>
        <BrandProvider current={brand}>
          <LanguageProvider first={texts}>
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
}
