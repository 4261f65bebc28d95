import type { AuditEntry } from '../audit/store.ts'

/** A text that moderators use as a statement of reasons. */
export type Template = { id: string; name: string; language: string; text: string; created_at: number }

export type TemplateStore = {
  /** Sorted by name and language. */
  list(language: string | undefined): Promise<Template[]>
  byId(id: string): Promise<Template | null>
  /** `taken` if there is one with that name in that language, `full` if there are `most` already. */
  add(template: Template, most: number, audit: AuditEntry): Promise<'added' | 'taken' | 'full'>
  /** Null if there is no such template, `taken` if another one has that name in that language. */
  change(
    id: string,
    change: Pick<Template, 'name' | 'language' | 'text'>,
    audit: AuditEntry,
  ): Promise<Template | 'taken' | null>
  /** False if there is no such template. */
  remove(id: string, audit: AuditEntry): Promise<boolean>
}
