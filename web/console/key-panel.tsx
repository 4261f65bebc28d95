import { X } from 'lucide-react'
import { IconButton } from '../shared/ui/button.tsx'
import { Keys, useKeyList, useKeys } from './keys.tsx'
import styles from './key-panel.module.css'
import { useLanguage } from './language.tsx'

/** The line below the screen with its most important keys. It is hidden on devices without a keyboard. */
export function KeyLine({ onAll }: { onAll: () => void }) {
  const { t } = useLanguage()
  const { groups, singleKeys, begun } = useKeyList()
  const all = groups.flatMap(({ keys }) => keys)
  const following = all.filter(({ keys }) => begun !== '' && keys.startsWith(`${begun} `))
  const shown =
    following.length > 0
      ? following
      : all
          .filter(({ inLine }) => inLine)
          .toSorted((one, other) => Number(other.keys === '?') - Number(one.keys === '?'))
  const working = singleKeys ? shown : shown.filter(({ keys }) => keys.length > 1)
  return (
    <footer className={styles.line} aria-label={t('console.keys.title')}>
      {/* Hidden from screen readers: the list of all keys, which the last button opens, has the same in words. */}
      <ul aria-hidden>
        {working.map(({ keys, label }) => (
          <li key={keys}>
            <Keys keys={keys} />
            {label}
          </li>
        ))}
      </ul>
      {!singleKeys && (
        <button type="button" onClick={onAll}>
          {t('console.keys.title')}
        </button>
      )}
    </footer>
  )
}

/** The list of all keys that work here, in a panel beside the screen. */
export function KeyPanel({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage()
  const { groups, singleKeys, setSingleKeys } = useKeyList()
  useKeys(t('console.keys.title'), [{ keys: 'Escape', label: t('console.keys.close'), inFields: true, run: onClose }])
  return (
    <aside className={styles.panel} aria-label={t('console.keys.title')}>
      <header>
        <h2>{t('console.keys.title')}</h2>
        <IconButton label={t('console.close')} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      {groups.map(({ group, keys }) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl>
            {keys.map(({ keys, label }) => (
              <div key={keys} className={!singleKeys && keys.length === 1 ? styles.off : undefined}>
                <dt>
                  <Keys keys={keys} />
                  <span className="unseen">{keys}</span>
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className={styles.single}>
        <input type="checkbox" checked={singleKeys} onChange={(event) => setSingleKeys(event.target.checked)} />
        <span>{t('console.keys.single')}</span>
      </label>
    </aside>
  )
}
