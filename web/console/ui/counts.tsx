import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import { Section } from './page.tsx'
import { type Column, Table } from './table.tsx'

type Row<Name> = { name: Name; count: number }
type CountsProps<Name> = {
  title: string
  counts: Record<string, number>
  hrefOf: (name: Name) => string
  /** What a name is called; itself by default, as the CSV and the API have it, so that both can be compared. */
  nameOf?: (name: Name) => string
}

/** Numbers by what they count, each of which leads to its list. */
export function Counts<Name extends string>({ title, counts, hrefOf, nameOf = (name) => name }: CountsProps<Name>) {
  const { t } = useLanguage()
  const rows = Object.entries(counts)
    // A record of the document has names of its schema, which its type does not say.
    .map(([name, count]): Row<Name> => ({ name: name as Name, count }))
    .toSorted((a, b) => b.count - a.count)
  const columns: Column<Row<Name>>[] = [
    { title: t('transparency.category'), isHead: true, cell: ({ name }) => nameOf(name) },
    {
      title: t('transparency.count'),
      isNumber: true,
      cell: ({ name, count }) => <Link href={hrefOf(name)}>{count}</Link>,
    },
  ]
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <Table caption={title} columns={columns} rows={rows} keyOf={({ name }) => name} />
    </Section>
  )
}
