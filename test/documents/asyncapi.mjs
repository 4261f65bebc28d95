// Prints what the parser of AsyncAPI has to say against a document, one JSON array, but for hints of newer versions.
import { Parser } from '@asyncapi/parser'
import { readFile } from 'node:fs/promises'

const { document, diagnostics } = await new Parser().parse(await readFile(process.argv[2], 'utf8'))
const complaints = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')
console.log(JSON.stringify(document ? complaints : [{ message: 'no document' }, ...complaints]))
