import { oneOf, onOrOff, setting, wholeNumber } from '../lib/settings.ts'
import { periodsShown, readRetention, type RetentionDays, usualRetention } from '../features/retention/periods.ts'

/** What the community allows, and how long it keeps data. */
export const communitySettings = {
  consentGate: setting({
    name: 'CONSENT_GATE',
    default: 'off',
    help: '`on` blocks users until they give the mandatory consents. They can still read and erase `/me`, hide, export, read notices, appeal and log out.',
    ...onOrOff,
  }),
  staffPasskey: setting({
    name: 'STAFF_PASSKEY',
    default: 'off',
    help: '`required`: moderators and admins [show a passkey](docs/moderation.md#passkeys-for-staff) before they moderate, every 12 hours.',
    ...oneOf('off', 'required'),
  }),
  firstContact: setting({
    name: 'FIRST_CONTACT',
    default: 'open',
    help: '`guarded` limits a stranger to three texts, without links or photos, until the other person answers.',
    ...oneOf('open', 'guarded'),
  }),
  minAge: setting({
    name: 'MIN_AGE',
    default: 'off',
    type: 'off or years',
    help: 'Minimum age for new accounts, such as `18`: registration asks for [a date of birth](docs/accounts.md#minimum-age).',
    read(value) {
      if (value === 'off') return null
      const years = Number(value)
      if (!/^\d+$/.test(value) || years < 1 || years > 120)
        throw new Error('must be off, or a whole number from 1 to 120')
      return years
    },
  }),
  nearbyMaxAgeDays: setting({
    name: 'NEARBY_MAX_AGE_DAYS',
    unit: 'days',
    default: '30',
    help: 'How long others can find a position, in days.',
    ...wholeNumber(1, 3650),
  }),
  eventRetentionDays: setting({
    name: 'EVENT_RETENTION_DAYS',
    unit: 'days',
    default: '7',
    help: 'How long a client can catch up on missed events, in days.',
    ...wholeNumber(1, 3650),
  }),
  /** Days of each kind of data. */
  retention: setting<RetentionDays>({
    name: 'RETENTION',
    reload: true,
    type: 'list',
    default: '',
    shownDefault: '[each kind’s](docs/privacy.md#choose-how-long)',
    help: 'How long data is kept, by kind, such as `positions=90d,audit_entries=365d`. Each kind has [its bounds](docs/privacy.md#choose-how-long).',
    details: `The kinds, with their bounds, are ${periodsShown}.`,
    read: (value) => (value === '' ? usualRetention : readRetention(value)),
  }),
  /** Over how many hours an anonymous review may take to appear; 0 for at once. */
  anonymousReviewDelayH: setting({
    name: 'ANONYMOUS_REVIEW_DELAY_H',
    unit: 'hours',
    default: '24',
    help: 'An anonymous review appears at a random time within this many hours. `0` publishes it at once.',
    ...wholeNumber(0, 720),
  }),
  reportTargetH: setting({
    name: 'REPORT_TARGET_H',
    unit: 'hours',
    default: '24',
    help: 'Within how many hours a report should be decided: [the queue](docs/moderation.md#the-queue) is sorted by this time.',
    ...wholeNumber(1, 8760),
  }),
  legalContact: setting({
    name: 'LEGAL_CONTACT',
    reload: true,
    type: 'e-mail address or URL',
    default: null,
    help: 'Where authorities and people without an account reach you, such as `safety@example.org`. `GET /api/v1/legal/child-safety` publishes it.',
    read: contact,
  }),
  legalDir: setting({
    name: 'LEGAL_DIR',
    reload: true,
    type: 'directory',
    default: null,
    help: 'Directory of [your own legal texts](docs/operations.md#your-own-legal-texts): `terms.en.md`, `privacy.en.md`, `disclaimer.en.md`, `child-safety.en.md`.',
    read: (value) => value,
  }),
}

function contact(value: string): string {
  const isAddress = /^[^\s@<>()[\]]+@[^\s@<>()[\]]+\.[^\s@<>()[\]]+$/.test(value)
  const url = URL.parse(value)
  if (!isAddress && (url?.protocol !== 'https:' || url.username !== '' || /[\s<>()[\]]/.test(value)))
    throw new Error('must be an e-mail address or an https URL, such as safety@example.org')
  return value
}
