import type { Convene } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Download } from 'lucide-react'
import { useToast } from '../../shared/ui/toasts.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureText, outcomeOf, useAction } from '../requests.ts'

/** Saves the answer of a path as a file. It sends the session's token, which a plain link could not. */
async function save(client: Convene, path: string, name: string): Promise<Failure | null> {
  const token = await client.token()
  const { data, failure } = await outcomeOf(
    fetch(client.url(path), { headers: token === null ? {} : { authorization: `Bearer ${token}` } }).then(
      async (response) =>
        response.ok
          ? { data: await response.blob(), response }
          : { error: await response.json().catch(() => null), response },
    ),
  )
  if (failure) return failure
  const address = URL.createObjectURL(data)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  // Safari begins to read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
  return null
}

export function DownloadButton({ label, path, name }: { label: string; path: string; name: string }) {
  const { t } = useLanguage()
  const client = useConvene()
  const toast = useToast()
  const { run, busy } = useAction(async () => {
    const failure = await save(client, path, name)
    if (failure) toast(failureText(t, failure))
    return failure
  })
  return (
    <Button look="quiet" busy={busy} icon={<Download size={16} aria-hidden />} onClick={() => void run()}>
      {label}
    </Button>
  )
}
