import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useMemo } from 'react'
import { useResource } from '../requests.ts'

type Template = components['schemas']['Template']

// Cached, so that the next report shows them at once, before they are read again.
let known: readonly Template[] = []

/** The templates for statements of reasons, those in the person's language first. */
export function useTemplates(language: string | null): readonly Template[] {
  const { api } = useConvene()
  const { data } = useResource(() => api.GET('/api/v1/admin/templates'))
  if (data) known = data.items
  const all = data?.items ?? known
  return useMemo(() => {
    const primary = (tag: string) => tag.toLowerCase().split('-')[0]
    const isTheirs = (template: Template) => language !== null && primary(template.language) === primary(language)
    return [...all.filter(isTheirs), ...all.filter((template) => !isTheirs(template))]
  }, [all, language])
}
