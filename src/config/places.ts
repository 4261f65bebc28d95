import { resolve } from 'node:path'
import { type Environment, textOf } from '../lib/settings.ts'
import { isS3Url, readS3Url, type S3Keys, type S3Place } from '../s3/place.ts'
import { key } from './readers.ts'

/** The keys of the buckets that other settings name. */
export const bucketKeys = {
  s3AccessKeyId: key('S3_ACCESS_KEY_ID', 'Access key of buckets whose URL contains none.'),
  s3SecretAccessKey: key('S3_SECRET_ACCESS_KEY', 'Secret of `S3_ACCESS_KEY_ID`.'),
  awsAccessKeyId: key('AWS_ACCESS_KEY_ID', 'Used if neither `S3_ACCESS_KEY_ID` nor `S3_SECRET_ACCESS_KEY` is set.'),
  awsSecretAccessKey: key('AWS_SECRET_ACCESS_KEY', 'Secret of `AWS_ACCESS_KEY_ID`.'),
}

/** Both keys from the same pair of settings, so that the key of one store is never combined with the secret of another. */
export function s3Keys(env: Environment): S3Keys {
  const [id, secret] = [textOf(env, 'S3_ACCESS_KEY_ID'), textOf(env, 'S3_SECRET_ACCESS_KEY')]
  return id === null && secret === null
    ? { accessKeyId: textOf(env, 'AWS_ACCESS_KEY_ID'), secretAccessKey: textOf(env, 'AWS_SECRET_ACCESS_KEY') }
    : { accessKeyId: id, secretAccessKey: secret }
}

export function directoryOrBucket(value: string, env: Environment): string | S3Place {
  if (isS3Url(value)) return readS3Url(value, s3Keys(env))
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value))
    throw new Error('must be a directory, or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME')
  return resolve(value)
}

export const dataDirectory = (env: Environment) => resolve(textOf(env, 'DATA_DIR') ?? './data')
