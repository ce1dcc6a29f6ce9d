import { useSyncExternalStore } from 'react'

const tickMs = 1000
const listeners = new Set<() => void>()
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function updateNow() {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    nowMs = Date.now()
    timer = setInterval(updateNow, tickMs)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Derives a value from the current time (ms since 1970) once a second. All components share one
 * timer. The component renders again only when the value changes, so `derive` should return a
 * string or a rounded number.
 */
export function useNow<Value extends string | number | boolean>(derive: (nowMs: number) => Value): Value {
  const readNow = () => {
    // While no timer runs, `nowMs` is not updated. Read the clock only if `nowMs` is more than a
    // second old: if the value changed during a render in slices, React would render the page again
    // in one task.
    if (timer === undefined && Math.abs(Date.now() - nowMs) > tickMs) nowMs = Date.now()
    return derive(nowMs)
  }
  return useSyncExternalStore(subscribe, readNow, readNow)
}
