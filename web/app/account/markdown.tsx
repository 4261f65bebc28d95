import MarkdownToJsx from 'markdown-to-jsx'

/** Markdown as React elements. HTML in it is shown as text. */
export default function Markdown({ text }: { text: string }) {
  return (
    <MarkdownToJsx
      options={{
        disableParsingRawHTML: true,
        forceBlock: true,
        // The sheet has its own title.
        overrides: { h1: { component: 'h3' }, h2: { component: 'h3' }, h3: { component: 'h4' }, img: () => null },
      }}
    >
      {text}
    </MarkdownToJsx>
  )
}
