export const PER_DESTINATION = 2
/** Many destinations on one host that hangs must not occupy the places of the others. */
const PER_HOST = 32
const MOST_REQUESTS = 64
/** Requests that take longer give up their place when others wait for one. */
const SLOW_AFTER_MS = 100
const MOST_SLOW = 512
/** Answers that are not recorded yet. The database is slow or away, so nothing new is started. */
const MOST_UNRECORDED = 512

export type Key = number | string

interface Request {
  destinationId: string
  host: string
  startedAtMs: number
  isSlow: boolean
  isAnswered: boolean
}

/** Bounds the requests that run at once: to a destination, to a host and in all. */
export interface Places {
  /** Occupies a place. Null if the destination or its host has no place left. */
  occupy(key: Key, destination: { id: string; host: string }): { answered(): void; release(): void } | null
  /** Requests that can be started now. Slow ones move to a pool of their own to make room. */
  countFree(): number
  /** What cannot be started now. Deliveries are busy until their answers are recorded. */
  busy(): { keys: Key[]; destinations: string[]; hosts: string[] }
}

/** @param onChange called when requests may have become possible */
export function createPlaces(onChange: () => void, nowMs = () => performance.now()): Places {
  const running = new Map<Key, Request>()
  const waiting = () => [...running.values()].filter(({ isAnswered }) => !isAnswered)
  const full = (of: (request: Request) => string, most: number): string[] => {
    const counts = new Map<string, number>()
    for (const request of waiting()) counts.set(of(request), (counts.get(of(request)) ?? 0) + 1)
    return [...counts].flatMap(([name, count]) => (count >= most ? [name] : []))
  }
  const countFree = () => {
    const all = waiting()
    const quick = all.filter(({ isSlow }) => !isSlow)
    let slowLeft = MOST_SLOW - (all.length - quick.length)
    let free = MOST_REQUESTS - quick.length
    for (const request of quick) {
      if (slowLeft <= 0) break
      if (nowMs() - request.startedAtMs < SLOW_AFTER_MS) continue
      request.isSlow = true
      slowLeft -= 1
      free += 1
    }
    return running.size - all.length >= MOST_UNRECORDED ? 0 : free
  }
  return {
    occupy(key, { id, host }) {
      const all = waiting()
      if (running.has(key) || all.filter(({ destinationId }) => destinationId === id).length >= PER_DESTINATION)
        return null
      if (all.filter((request) => request.host === host).length >= PER_HOST) return null
      const request = { destinationId: id, host, startedAtMs: nowMs(), isSlow: false, isAnswered: false }
      running.set(key, request)
      const timer = setTimeout(onChange, SLOW_AFTER_MS)
      const answered = () => {
        if (request.isAnswered) return
        request.isAnswered = true
        clearTimeout(timer)
        onChange()
      }
      return {
        answered,
        release() {
          running.delete(key)
          answered()
        },
      }
    },
    countFree,
    busy: () => ({
      keys: [...running.keys()],
      destinations: full(({ destinationId }) => destinationId, PER_DESTINATION),
      hosts: full(({ host }) => host, PER_HOST),
    }),
  }
}
