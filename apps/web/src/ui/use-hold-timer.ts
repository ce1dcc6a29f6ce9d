import { useEffect, useRef } from 'react'

/** Calls `onEnd` after `durationMs`. The timer pauses while `isHeld`. */
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
