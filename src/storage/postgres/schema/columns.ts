import { bigint, customType } from 'drizzle-orm/pg-core'

export const int8 = () => bigint({ mode: 'number' })
/** JSON, stored as the text that JSON.stringify produces. */
export const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: JSON.stringify,
  fromDriver: (text) => JSON.parse(text),
})
export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
