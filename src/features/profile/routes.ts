import { Elysia, t } from 'elysia'
import type { SignedIn } from '../../http/signed-in.ts'
import { me, preferences, preferencesChange, profile, profileChange } from './model.ts'
import { id } from '../../http/schema.ts'
import type { Profiles } from './service.ts'

export const profileRoutes = ({ signedIn, profiles }: { signedIn: SignedIn; profiles: Profiles }) =>
  new Elysia({ name: 'profile' })
    .use(signedIn)
    .get('/api/v1/me', ({ caller }) => profiles.me(caller.id, caller.consents_missing), {
      response: { 200: me },
      detail: { summary: 'The caller’s own account', tags: ['profile'] },
    })
    .put('/api/v1/me', ({ caller, body }) => profiles.change(caller, body), {
      limit: 'write',
      body: profileChange,
      response: { 200: me },
      detail: {
        summary: 'Change the profile',
        description: 'Absent fields keep their values; null clears a field, except the name.',
        tags: ['profile'],
        refusals: ['content_refused'],
      },
    })
    .get('/api/v1/me/prefs', ({ caller }) => profiles.preferences(caller), {
      response: { 200: preferences },
      detail: { summary: 'The caller’s preferences', tags: ['profile'] },
    })
    .put('/api/v1/me/prefs', ({ caller, body }) => profiles.savePreferences(caller, body), {
      limit: 'write',
      body: preferencesChange,
      response: { 200: preferences },
      detail: {
        summary: 'Change the preferences',
        description: 'Absent fields keep their values.',
        tags: ['profile'],
      },
    })
    .get('/api/v1/users/:id', ({ caller, params }) => profiles.byId(caller, params.id), {
      params: t.Object({ id }),
      response: { 200: profile },
      detail: {
        summary: 'The public profile of a user',
        description: '`not_found` also if either of you has blocked the other.',
        tags: ['profile'],
        refusals: ['not_found'],
      },
    })
