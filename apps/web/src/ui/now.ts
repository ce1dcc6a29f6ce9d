import { useSyncExternalStore } from 'react'

const tickMs = 1000
const listeners = new Set<() => void>()
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick() {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    nowMs = Date.now()
    timer = setInterval(tick, tickMs)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * What `read` makes of the current time (ms since 1970), kept fresh by one ticker for the whole page. Re-renders only when the
 * answer changes, so return a string or a rounded number.
 */
export function useNow<Answer extends string | number | boolean>(read: (nowMs: number) => Answer): Answer {
  const readNow = () => read(nowMs)
  return useSyncExternalStore(subscribe, readNow, readNow)
}
