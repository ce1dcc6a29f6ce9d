import type { ResponseOf } from '@tocsin/protocol'
import { startTransition, useEffect, useRef, useState } from 'react'
import { type PublicRead, readPublic } from './read-public.ts'

export interface PublicState<N extends PublicRead> {
  data: ResponseOf<N> | null
  /** True if the last request failed. `data` is then from an earlier request, or null. */
  isError: boolean
}

/**
 * When data is fetched again: at an interval while the page is visible, and when `revision` changes
 * from one value to another.
 */
interface RepeatOptions {
  everyMs?: number
  revision?: string | undefined
}

export function usePublic<N extends PublicRead>(name: N, { everyMs, revision }: RepeatOptions = {}): PublicState<N> {
  const [state, setState] = useState<PublicState<N>>({ data: null, isError: false })
  const readAgain = useRef(() => {})
  useEffect(() => {
    const abort = new AbortController()
    const fetchState = async () => {
      try {
        const data = await readPublic(name, abort.signal)
        // The update is not urgent. As a transition, its rendering does not block user input.
        startTransition(() => setState({ data, isError: false }))
      } catch {
        if (!abort.signal.aborted) setState(({ data }) => ({ data, isError: true }))
      }
    }
    void fetchState()
    readAgain.current = () => void fetchState()
    const timer = everyMs === undefined ? undefined : setInterval(() => document.hidden || void fetchState(), everyMs)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [name, everyMs])
  const lastRevision = useRef(revision)
  useEffect(() => {
    if (lastRevision.current !== undefined && revision !== lastRevision.current) readAgain.current()
    lastRevision.current = revision
  }, [revision])
  return state
}
