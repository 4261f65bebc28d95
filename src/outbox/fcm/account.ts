import { createPrivateKey, type KeyObject } from 'node:crypto'

/** The needed parts of a Google service account's key file. */
export type ServiceAccount = {
  projectId: string
  email: string
  keyId: string
  key: KeyObject
  /** Where access tokens come from. */
  tokenUrl: string
}

/** Reads a key file. Throws an Error whose message follows the setting's name; it contains nothing of the file. */
export function readServiceAccount(text: string, path: string): ServiceAccount {
  const wrong = (what: string) => new Error(`must name the key file of a service account, and ${path} ${what}`)
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    throw wrong('is not JSON')
  }
  const field = (name: string): string => {
    const value =
      typeof file === 'object' && file !== null ? Object.entries(file).find(([key]) => key === name)?.[1] : null
    if (typeof value !== 'string' || value === '') throw wrong(`has no ${name}`)
    return value
  }
  if (field('type') !== 'service_account') throw wrong('is of another type')
  const projectId = field('project_id')
  if (!/^[a-z0-9.:-]+$/.test(projectId)) throw wrong('has a malformed project_id')
  const tokenUrl = field('token_uri')
  if (!/^https?:$/.test(URL.parse(tokenUrl)?.protocol ?? '')) throw wrong('has a malformed token_uri')
  return { projectId, email: field('client_email'), keyId: field('private_key_id'), key: rsaKey(), tokenUrl }

  function rsaKey(): KeyObject {
    const pem = field('private_key')
    try {
      const key = createPrivateKey(pem)
      if (key.asymmetricKeyType === 'rsa') return key
    } catch {}
    throw wrong('has a private_key that is no RSA key in PEM form')
  }
}
