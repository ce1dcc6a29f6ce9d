import { useSyncExternalStore } from 'react'

/** In which zone and on which clock times are written. `timeZone` is a name of the IANA database. */
export type TimeStyle = { timeZone: string; hourCycle: '24' | '12' }

export const utcStyle: TimeStyle = { timeZone: 'UTC', hourCycle: '24' }

let current = utcStyle
const listeners = new Set<() => void>()

/** For the whole page. Public pages and programs have UTC. */
export function setTimeStyle(style: TimeStyle): void {
  if (style.timeZone === current.timeZone && style.hourCycle === current.hourCycle) return
  current = style
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTimeStyle(): TimeStyle {
  const read = () => current
  return useSyncExternalStore(subscribe, read, () => utcStyle)
}
