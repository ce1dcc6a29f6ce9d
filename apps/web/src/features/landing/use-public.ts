import type { ResponseOf } from '@tocsin/protocol'
import { startTransition, useEffect, useState } from 'react'
import { type PublicRead, readPublic } from './read-public.ts'

export interface PublicState<N extends PublicRead> {
  data: ResponseOf<N> | null
  /** The newest attempt failed; what was read before stays. */
  isError: boolean
}

/** Reads once, and again every so often while somebody looks. */
export function usePublic<N extends PublicRead>(name: N, everyMs?: number): PublicState<N> {
  const [state, setState] = useState<PublicState<N>>({ data: null, isError: false })
  useEffect(() => {
    const abort = new AbortController()
    const read = async () => {
      try {
        const data = await readPublic(name, abort.signal)
        // Nobody waits for it with a press: it is drawn in slices.
        startTransition(() => setState({ data, isError: false }))
      } catch {
        if (!abort.signal.aborted) setState(({ data }) => ({ data, isError: true }))
      }
    }
    void read()
    const timer = everyMs === undefined ? undefined : setInterval(() => document.hidden || void read(), everyMs)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [name, everyMs])
  return state
}
