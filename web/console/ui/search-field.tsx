import { Search } from 'lucide-react'
import type { KeyboardEvent, Ref } from 'react'
import { isComposing } from '../../shared/composing.ts'
import styles from './list.module.css'
import { focusRow } from './split.tsx'

type Props = {
  ref: Ref<HTMLInputElement>
  label: string
  placeholder?: string
  maxLength?: number
  value: string
  onChange: (value: string) => void
}

/** Searches in the list below it. ArrowDown leads to the rows. */
export function SearchField({ label, placeholder = label, onChange, ...input }: Props) {
  const leave = (event: KeyboardEvent) => {
    // In an input method, ArrowDown chooses among the words that are offered.
    if (event.key === 'ArrowDown' && !isComposing(event.nativeEvent) && focusRow(1)) event.preventDefault()
  }
  return (
    <search className={styles.search}>
      <Search size={14} aria-hidden />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={leave}
        {...input}
      />
    </search>
  )
}
