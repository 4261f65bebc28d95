import { createContext, useContext } from 'react'

/** The moderator or admin who uses the console. */
export type Staff = { id: string; name: string | null; isAdmin: boolean }

const StaffContext = createContext<Staff | null>(null)

export const StaffProvider = StaffContext.Provider

export function useStaff(): Staff {
  const staff = useContext(StaffContext)
  if (!staff) throw new Error('There is no StaffProvider around this component.')
  return staff
}
