import { useEffect, useState } from 'react'

const restMs = 150

/** The alert of a row, without its message while the list scrolls past the row. */
export function useRested<T extends { signalHash: string | null }>(alert: T): T {
  const [isResting, setIsResting] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), restMs)
    return () => clearTimeout(timer)
  }, [])
  return isResting ? alert : { ...alert, signalHash: null }
}
