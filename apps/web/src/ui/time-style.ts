import { useSyncExternalStore } from 'react'

/**
 * Time zone and clock that times are displayed in. The zone is an IANA name, or "browser" for the
 * zone of the device.
 */
export type TimeStyle = { timeZone: string; hourCycle: '24' | '12' }

export const utcStyle: TimeStyle = { timeZone: 'UTC', hourCycle: '24' }

let currentStyle = utcStyle
const listeners = new Set<() => void>()

/** Sets the style of the whole page. Public pages keep the default, UTC. */
export function setTimeStyle(style: TimeStyle): void {
  if (style.timeZone === currentStyle.timeZone && style.hourCycle === currentStyle.hourCycle) return
  currentStyle = style
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const readTimeStyle = (): TimeStyle => currentStyle

export function useTimeStyle(): TimeStyle {
  return useSyncExternalStore(subscribe, readTimeStyle, () => utcStyle)
}
