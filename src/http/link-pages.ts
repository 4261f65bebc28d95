import { Elysia } from 'elysia'
import { type LinkKind, linkPaths, type MailLanguage, mailLanguageOf } from '../outbox/mail/mails.ts'
import { mostWantedFirst } from '../features/legal/service.ts'

/** What a page says. `asks` is shown first, `done` after its button has worked. */
type Words = { title: string; asks: string; button: string; done: string; path: string }
type Common = { invalid: string; failed: string; taken: string; password: string; rule: string; script: string }

const paths: Record<LinkKind, string> = {
  verify: '/api/v1/auth/email/verify',
  reset: '/api/v1/auth/password/reset',
  email_undo: '/api/v1/auth/email/undo',
  unsubscribe: '/api/v1/notifications/unsubscribe',
}

const words: Record<MailLanguage, Record<LinkKind, Omit<Words, 'path'>> & { common: Common }> = {
  en: {
    verify: {
      title: 'Confirm your address',
      asks: 'Press the button only if you made an account with this e-mail address, or asked to use it.',
      button: 'Confirm address',
      done: 'Your address is confirmed. You can close this page.',
    },
    reset: {
      title: 'Set a new password',
      asks: 'Every device will have to sign in again.',
      button: 'Set password',
      done: 'Your new password is set. Sign in with it.',
    },
    email_undo: {
      title: 'Keep your address',
      asks: 'Press the button to keep this e-mail address for your account. Every session ends.',
      button: 'Keep this address',
      done: 'Your account has this address again. If somebody else may know your password, set a new one now with “Forgot password”.',
    },
    unsubscribe: {
      title: 'No more daily mails',
      asks: 'Press the button to get no more mails about unread messages. Mails about your account’s security still come.',
      button: 'Unsubscribe',
      done: 'You get no more of these mails. You can switch them on again in the app.',
    },
    common: {
      invalid: 'This link was used already, is too old, or was replaced by a newer one. Ask for another one.',
      taken: 'This address belongs to another account by now.',
      failed: 'That did not work. Try again in a moment.',
      password: 'New password',
      rule: 'At least 8 characters, and none of the most common passwords.',
      script: 'This page needs JavaScript, as the secret of the link is not sent to the server when you open it.',
    },
  },
  ru: {
    verify: {
      title: 'Подтвердите адрес',
      asks: 'Нажмите кнопку, только если вы сами создали аккаунт с этим адресом почты или хотите его использовать.',
      button: 'Подтвердить адрес',
      done: 'Адрес подтверждён. Страницу можно закрыть.',
    },
    reset: {
      title: 'Новый пароль',
      asks: 'На всех устройствах нужно будет войти заново.',
      button: 'Сохранить пароль',
      done: 'Новый пароль сохранён. Войдите с ним.',
    },
    email_undo: {
      title: 'Оставить прежний адрес',
      asks: 'Нажмите кнопку, чтобы оставить этот адрес за своим аккаунтом. Все сеансы завершатся.',
      button: 'Оставить этот адрес',
      done: 'У аккаунта снова этот адрес. Если ваш пароль может знать кто-то ещё, сразу задайте новый через «Забыли пароль».',
    },
    unsubscribe: {
      title: 'Без ежедневных писем',
      asks: 'Нажмите кнопку, чтобы больше не получать писем о непрочитанных сообщениях. Письма о безопасности аккаунта останутся.',
      button: 'Отписаться',
      done: 'Этих писем больше не будет. Включить их снова можно в приложении.',
    },
    common: {
      invalid: 'Эта ссылка уже использована, устарела или заменена новой. Запросите другую.',
      taken: 'Этот адрес уже принадлежит другому аккаунту.',
      failed: 'Не получилось. Попробуйте ещё раз чуть позже.',
      password: 'Новый пароль',
      rule: 'Не меньше 8 символов и не из самых распространённых.',
      script: 'Странице нужен JavaScript: секрет ссылки не отправляется на сервер, когда вы её открываете.',
    },
  },
}

const style = `
:root { color-scheme: light dark; --page: #f4f4f2; --card: #fff; --text: #1d1e20; --button: #1f5fbf; --on-button: #fff; --line: #74777d }
@media (prefers-color-scheme: dark) { :root { --page: #17181a; --card: #222427; --text: #e8e8e6; --button: #8ab4f8; --on-button: #10131a; --line: #8e9299 } }
body { margin: 0; padding: 24px; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 480px; margin: 8vh auto 0; padding: 32px; background: var(--card); border-radius: 12px }
h1 { margin: 0 0 16px; font-size: 1.5rem; line-height: 1.2 }
label { display: block; font-weight: 600 }
input { box-sizing: border-box; width: 100%; margin: 4px 0; padding: 12px; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px }
button { margin-top: 16px; padding: 12px 20px; min-height: 44px; font: inherit; font-weight: 600; color: var(--on-button); background: var(--button); border: 0; border-radius: 8px; cursor: pointer }
button[aria-disabled] { opacity: .6; cursor: default }
:focus-visible { outline: 3px solid var(--button); outline-offset: 2px }
[hidden] { display: none }
`

// Takes the token out of the address bar at once, and sends nothing before the button is pressed.
const script = `
const form = document.querySelector('form'), said = document.querySelector('[role=status]'), button = form.querySelector('button')
const password = form.querySelector('input[type=password]')
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? new URLSearchParams(location.search).get('token')
history.replaceState(null, '', location.pathname)
const say = (name) => { said.textContent = form.dataset[name] }
// The button that is hidden had the focus.
const end = (name) => { form.hidden = true; say(name); said.focus() }
if (!token) { form.hidden = true; say('invalid') } else form.hidden = false
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.hasAttribute('aria-disabled')) return
  // A disabled button would lose the focus.
  button.setAttribute('aria-disabled', 'true')
  say('nothing')
  const body = { token, ...(password && { password: password.value }) }
  const answer = await fetch(form.dataset.path, { method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }).catch(() => null)
  button.removeAttribute('aria-disabled')
  if (answer && answer.ok) return end('done')
  if (answer && (answer.status === 401 || answer.status === 409)) return end(answer.status === 401 ? 'invalid' : 'taken')
  if (password && answer && answer.status === 422) { say('rule'); return password.focus() }
  say('failed')
})
`

const sourceOf = (text: string) => `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`
const policy = [
  "default-src 'none'",
  `script-src ${sourceOf(script)}`,
  `style-src ${sourceOf(style)}`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function pageOf(kind: LinkKind, language: MailLanguage): string {
  const { title, asks, button, done } = words[language][kind]
  const { common } = words[language]
  const { invalid, taken, failed, rule } = common
  const data = Object.entries({ path: paths[kind], done, invalid, taken, failed, rule, nothing: '' })
  const field = `<label for="password">${common.password}</label>
<input id="password" type="password" name="password" autocomplete="new-password" minlength="8" required aria-describedby="rule">
<small id="rule">${rule}</small><br>`
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<main>
<h1>${title}</h1>
<form hidden method="post" ${data.map(([name, text]) => `data-${name}="${text}"`).join(' ')}>
<p>${asks}</p>
${kind === 'reset' ? field : ''}
<button>${button}</button>
</form>
<p role="status" tabindex="-1"></p>
<noscript><p>${common.script}</p></noscript>
</main>
<script>${script}</script>
</html>
`
}

/** The language of a page: the most wanted one that exists. */
function languageOf(acceptLanguage = ''): MailLanguage {
  const [first] = mostWantedFirst(acceptLanguage).filter((tag) => /^(en|ru)\b/i.test(tag))
  return mailLanguageOf(first ?? 'en')
}

const page =
  (kind: LinkKind) =>
  ({ headers }: { headers: Record<string, string | undefined> }) => {
    const language = languageOf(headers['accept-language'])
    return new Response(pageOf(kind, language), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-language': language,
        'content-security-policy': policy,
        vary: 'Accept-Language',
      },
    })
  }

/**
 * The pages that links in mails open, for servers without the app. The server never receives the token, which is in the
 * fragment, and opening a page changes nothing, because mail scanners open links too.
 */
export const linkPages = new Elysia({ name: 'link-pages', detail: { hide: true } })
  .get(linkPaths.verify, page('verify'))
  .get(linkPaths.reset, page('reset'))
  .get(linkPaths.email_undo, page('email_undo'))
  .get(linkPaths.unsubscribe, page('unsubscribe'))
