import { readApnsKey } from '../outbox/apns/key.ts'
import { readServiceAccount } from '../outbox/fcm/account.ts'
import { type Context, oneOf, setting, wholeNumber } from '../lib/settings.ts'
import { comesWith, keyFile, serverUrl } from './readers.ts'

/** When a notification leaves. */
export const notificationSettings = {
  notifyAfterS: setting({
    name: 'NOTIFY_AFTER_S',
    unit: 'seconds',
    default: '15',
    help: 'How long after an event its [notification](docs/notifications.md) is sent, in seconds, unless it has been read by then.',
    ...wholeNumber(0, 3600),
  }),
}

/** The push services for native apps. */
export const pushSettings = {
  fcmServiceAccount: setting({
    name: 'FCM_SERVICE_ACCOUNT',
    type: 'file',
    default: null,
    help: 'Key file of a Google service account: [sends to Android apps](docs/push-providers.md#firebase-android).',
    read: serviceAccount,
  }),
  fcmUrl: setting({
    name: 'FCM_URL',
    type: 'URL',
    default: null,
    shownDefault: 'Google’s',
    help: 'Another server that speaks FCM v1, such as `http://127.0.0.1:9000`.',
    read: (value, { env }) => {
      comesWith(env, ['FCM_SERVICE_ACCOUNT'])
      return serverUrl(value)
    },
  }),
  apnsKey: setting({
    name: 'APNS_KEY',
    type: 'file',
    default: null,
    help: '`.p8` key of an Apple developer account: [sends to iOS apps](docs/push-providers.md#apns-ios). Needs `APNS_KEY_ID`, `APNS_TEAM_ID` and `APNS_TOPIC`.',
    secret: true,
    read: apnsKey,
  }),
  apnsKeyId: setting({
    name: 'APNS_KEY_ID',
    type: 'ten letters and digits',
    default: null,
    help: 'Id of `APNS_KEY`.',
    read: appleId,
  }),
  apnsTeamId: setting({
    name: 'APNS_TEAM_ID',
    type: 'ten letters and digits',
    default: null,
    help: 'Id of the team that `APNS_KEY` belongs to.',
    read: appleId,
  }),
  apnsTopic: setting({
    name: 'APNS_TOPIC',
    type: 'bundle id',
    default: null,
    help: 'Bundle id of the app, such as `org.example.meet`.',
    read: bundleId,
  }),
  apnsEnv: setting({
    name: 'APNS_ENV',
    default: 'production',
    help: '`sandbox` is for apps that Xcode has installed.',
    ...oneOf('production', 'sandbox'),
  }),
  apnsUrl: setting({
    name: 'APNS_URL',
    type: 'URL',
    default: null,
    shownDefault: 'Apple’s for `APNS_ENV`',
    help: 'Another server that speaks APNs over HTTP/2, such as `http://127.0.0.1:9000`.',
    read: (value, { env }) => {
      comesWith(env, apnsSettings)
      return serverUrl(value)
    },
  }),
}

const apnsSettings = ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC']

function serviceAccount(value: string) {
  return readServiceAccount(keyFile(value), value)
}

function apnsKey(value: string, { env }: Context) {
  comesWith(env, apnsSettings)
  return readApnsKey(keyFile(value), value)
}

function appleId(value: string, { env }: Context): string {
  comesWith(env, apnsSettings)
  if (!/^[A-Z0-9]{10}$/.test(value)) throw new Error('must be ten capital letters and digits, such as ABC123DEFG')
  return value
}

function bundleId(value: string, { env }: Context): string {
  comesWith(env, apnsSettings)
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value)) throw new Error('must be a bundle id, such as org.example.meet')
  return value
}
