import type { Config } from '../../config.ts'
import { fine, type Finding } from './finding.ts'

/** The keys of push services. Reading the settings has already refused unusable ones. */
export function* push({ fcmServiceAccount, apnsKey, apnsTopic, apnsEnv }: Config): Generator<Finding> {
  if (fcmServiceAccount !== null)
    yield fine(`FCM_SERVICE_ACCOUNT holds a key of the Firebase project ${fcmServiceAccount.projectId}`)
  if (apnsKey !== null && apnsTopic !== null)
    yield fine(`APNS_KEY is a key for ${apnsTopic}, used with the ${apnsEnv} servers of Apple`)
}
