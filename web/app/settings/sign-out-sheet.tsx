import { useConvene } from 'convene-client/react'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'

/** Asks before the user's data is removed from this device, because messages that are not sent yet are lost with it. */
export function SignOutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage()
  const client = useConvene()
  return (
    <Sheet title={t('settings.signOut')} closeLabel={t('app.close')} onClose={onClose}>
      <p>{t('settings.signOutText')}</p>
      <Button look="primary" wide onClick={() => client.signOut()}>
        {t('settings.signOut')}
      </Button>
    </Sheet>
  )
}
