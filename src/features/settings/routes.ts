import { Elysia, t } from 'elysia'
import { nullable, object, oneOf } from '../../http/schema.ts'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { ShownSetting } from '../../lib/settings.ts'
import type { Admin } from '../moderation/moderators.ts'

const settingList = object('SettingList', {
  items: t.Array(
    object('Setting', {
      name: t.String({ examples: ['PORT'] }),
      value: nullable(
        t.String({ description: 'The value in force; `***` for a secret that is set', examples: ['8080'] }),
      ),
      default: nullable(t.String({ examples: ['3000'] })),
      source: oneOf(['environment', 'file', 'default'], 'SettingSource'),
      secret: t.Boolean(),
    }),
  ),
})

export const settingRoutes = ({ asAdmin, settings }: { asAdmin: SignedInAs<Admin>; settings: () => ShownSetting[] }) =>
  new Elysia({ name: 'settings' }).use(asAdmin).get('/api/v1/admin/settings', () => ({ items: settings() }), {
    response: { 200: settingList },
    detail: {
      summary: 'The settings in force',
      description:
        'The settings of the node that answers, by the names of their environment variables; `file` is a settings file or `NAME_FILE`. Secrets are masked, and a generated one is null. For admins.',
      tags: ['admin'],
      refusals: ['forbidden'],
    },
  })
