/** Whether it is a device token of Apple, as hexadecimal. It becomes part of a path. */
export const isDeviceToken = (token: string): boolean => /^[0-9a-f]{8,200}$/i.test(token)
