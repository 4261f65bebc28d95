import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { languageTag, tidy, tidyLabel } from '../../lib/text.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { iso } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Admin } from '../moderation/moderators.ts'
import type { Template, TemplateStore } from './store.ts'
import { mostTemplates } from './rules.ts'

type NewTemplate = Pick<Template, 'name' | 'language' | 'text'>

export type Templates = ReturnType<typeof templateService>

type Deps = { store: TemplateStore; audit: Audit; paging: Pick<Paging, 'pageOfAll'>; ids: Ids; now: () => number }

/** Texts for statements of reasons, by language. Moderators use them, admins write them. */
export function templateService({ store, audit, paging, ids, now }: Deps) {
  function read({ name, language, text }: NewTemplate): NewTemplate {
    const tag = languageTag(language)
    if (tag === null) throw invalid('/language', 'Expected a language tag, such as en or pt-BR', 'format')
    return { name: tidyLabel(name), language: tag, text: tidy(text) }
  }
  const taken = () => new Refusal('conflict', 'There is a template of this name in this language.')

  return {
    async list({ language, ...page }: Page & { language?: string }) {
      const tag = language === undefined ? undefined : (languageTag(language) ?? language)
      return paging.pageOfAll('templates', await store.list(tag), page, templateView)
    },

    async add(admin: Admin, given: NewTemplate) {
      const template = { id: ids.next(), ...read(given), created_at: now() }
      const { name, language } = template
      const entry = audit.entry('template_created', admin.id, template.id, { name, language })
      const outcome = await store.add(template, mostTemplates, entry)
      if (outcome === 'full') throw new Refusal('conflict', `There are ${mostTemplates} templates: delete one first.`)
      if (outcome === 'taken') throw taken()
      return templateView(template)
    },

    async change(admin: Admin, id: string, given: NewTemplate) {
      const change = read(given)
      const { name, language } = change
      const outcome = await store.change(id, change, audit.entry('template_changed', admin.id, id, { name, language }))
      if (outcome === 'taken') throw taken()
      if (outcome === null) throw noSuchTemplate()
      return templateView(outcome)
    },

    async remove(admin: Admin, id: string): Promise<void> {
      if (!(await store.remove(id, audit.entry('template_deleted', admin.id, id)))) throw noSuchTemplate()
    },
  }
}

const noSuchTemplate = () => new Refusal('not_found', 'There is no such template.')

const templateView = ({ created_at, ...template }: Template) => ({ ...template, created_at: iso(created_at) })
