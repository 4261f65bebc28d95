import '../shared/base.css'
import './book.css'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import loaders from 'texts:app'
import { nameOfLanguage } from '../shared/texts.ts'
import { faces } from './faces.ts'

const sizes: Record<string, [width: number, height: number]> = {
  '360': [360, 740],
  '768': [768, 1024],
  '1440': [1440, 900],
}

const languages = Object.fromEntries(Object.keys(loaders).map((language) => [language, nameOfLanguage(language)]))

/** The list of all states, and the chosen one at the chosen width, language, scheme and size of text. */
function Book() {
  const [entry, setEntry] = useState(decodeURIComponent(location.hash.slice(1)))
  const [look, setLook] = useState({ width: '360', lang: 'en', scheme: '', text: '' })
  useEffect(() => {
    const follow = () => setEntry(decodeURIComponent(location.hash.slice(1)))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const [width, height] = sizes[look.width] ?? [360, 740]
  const query = new URLSearchParams(Object.entries(look).filter(([name, value]) => name !== 'width' && value !== ''))
  const choose = (name: keyof typeof look, label: string, values: Record<string, string>) => (
    <label>
      {label}
      <select value={look[name]} onChange={({ target }) => setLook({ ...look, [name]: target.value })}>
        {Object.entries(values).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div className="book">
      <header>
        <h1>Component book</h1>
        {choose('width', 'Width', { 360: '360', 768: '768', 1440: '1,440' })}
        {choose('lang', 'Language', languages)}
        {choose('scheme', 'Scheme', { '': 'as the system', light: 'light', dark: 'dark' })}
        {choose('text', 'Text', { '': '100 %', 200: '200 %' })}
        {entry && (
          <a href={`/book/${entry}?${query}`} target="_blank" rel="noreferrer">
            Open alone
          </a>
        )}
      </header>
      <nav aria-label="Screens">
        {Object.entries(faces).flatMap(([name, { screens }]) =>
          Object.entries(screens).map(([screen, { title, states }]) => (
            <section key={`${name}/${screen}`}>
              <h2>{title}</h2>
              {Object.entries(states).map(([state, made]) => {
                const id = `${name}/${screen}/${state}`
                return typeof made === 'string' ? (
                  <p key={id}>
                    {state}: none. {made}
                  </p>
                ) : (
                  <a key={id} href={`#${id}`} data-entry={id} aria-current={id === entry ? 'page' : undefined}>
                    {state}
                  </a>
                )
              })}
            </section>
          )),
        )}
      </nav>
      <main className="stage">
        {entry && (
          <iframe
            key={`${entry} ${query}`}
            src={`/book/${entry}?${query}`}
            title={entry}
            width={width}
            height={height}
          />
        )}
      </main>
    </div>
  )
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<Book />)
