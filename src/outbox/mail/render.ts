import type { Mail } from './mails.ts'
import { textOf } from './texts.ts'

type Rendered = { subject: string; text: string; html: string }

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

// Inline styles, because many mail programs drop a style sheet. Those that keep one show dark colours if the person prefers them.
const dark = `
@media (prefers-color-scheme: dark) {
  .page { background: #17181a !important; }
  .card { background: #222427 !important; color: #e8e8e6 !important; }
  .small { color: #a3a6ab !important; }
}`

/** A mail as text and as HTML, without any image or style from elsewhere. `link` is the whole URL, token included. */
export function render(
  mail: Mail,
  { community, link, unsubscribe = '' }: { community: string; link: string | null; unsubscribe?: string },
): Rendered {
  const { subject, paragraphs, button, after = [] } = textOf(mail, { community, unsubscribe })
  const text = [...paragraphs, ...(link === null ? [] : [`${button}:\n${link}`]), ...after, `— ${community}`].join(
    '\n\n',
  )
  const paragraph = (content: string, style: string) => `<p style="margin:0 0 16px;${style}">${content}</p>`
  const html = `<!doctype html>
<html lang="${mail.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(subject)}</title>
<style>${dark}</style>
</head>
<body class="page" style="margin:0;padding:24px;background:#f4f4f2;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;color:#1d1e20;border-radius:12px"><tr><td style="padding:32px">
${paragraphs.map((content) => paragraph(escaped(content), '')).join('\n')}
${
  link === null
    ? ''
    : paragraph(
        `<a href="${escaped(link)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1f5fbf;color:#ffffff;text-decoration:none;font-weight:600">${escaped(button ?? link)}</a>`,
        'padding:8px 0',
      )
}
${after.map((content) => `<p class="small" style="margin:0 0 12px;font-size:14px;color:#5d6066">${escaped(content)}</p>`).join('\n')}
<p class="small" style="margin:24px 0 0;font-size:14px;color:#5d6066">${escaped(community)}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`
  return { subject, text, html }
}
