import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import { Section } from './page.tsx'
import { type Column, Table } from './table.tsx'

type Row<Name> = { name: Name; count: number }
type CountsProps<Name> = {
  title: string
  counts: Record<string, number>
  hrefOf: (name: Name) => string
  /** The label of a name. */
  nameOf: (name: Name) => string
}

/** A table of numbers by category. Each number links to the list of what it counts. */
export function Counts<Name extends string>({ title, counts, hrefOf, nameOf }: CountsProps<Name>) {
  const { t } = useLanguage()
  const rows = Object.entries(counts)
    // The keys of the record are names of the schema, which its type does not express.
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
