import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import { useStaff } from '../staff.tsx'

/** Who has done something, shown by the end of their id. Null is the command line. */
export function Actor({ id }: { id: string | null }) {
  const { t } = useLanguage()
  const { id: own } = useStaff()
  if (id === null) return t('console.byCommand')
  return (
    <Link href={`/people/${id}`} title={id}>
      {id === own ? t('console.you') : id.slice(-12)}
    </Link>
  )
}
