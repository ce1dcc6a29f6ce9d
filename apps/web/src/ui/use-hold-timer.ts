import { useEffect, useRef } from 'react'

/** Calls `onEnd` after so long, not counting the time for which it is held. */
export function useHoldTimer(durationMs: number, isHeld: boolean, onEnd: () => void): void {
  const leftMs = useRef(durationMs)
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (isHeld) return
    const startedAt = performance.now()
    const timer = setTimeout(() => end.current(), leftMs.current)
    return () => {
      clearTimeout(timer)
      leftMs.current = Math.max(0, leftMs.current - (performance.now() - startedAt))
    }
  }, [isHeld])
}
