import { type RefObject, useEffect, useState } from 'react'
import { indexAt, type RowSizes } from './row-window.ts'

/**
 * Overscan: rows rendered overscan the viewport for fast scrolling and for moving focus with Tab.
 */
const overscan = 12

type Range = { first: number; last: number }

/**
 * Which rows of a list are in the window, and a little overscan. The page scrolls, not the list.
 */
export function useRowWindow(list: RefObject<HTMLElement | null>, sizes: RowSizes): Range {
  const [range, setRange] = useState<Range>({ first: 0, last: 2 * overscan })
  const { count, rowPx, openIndex, openPx } = sizes
  useEffect(() => {
    let frame = 0
    const look = () => {
      frame = 0
      const top = list.current?.getBoundingClientRect().top
      if (top === undefined) return
      const of = { count, rowPx, openIndex, openPx }
      const first = indexAt(-top, of) - overscan
      const last = indexAt(window.innerHeight - top, of) + overscan
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    const lookSoon = () => {
      if (frame === 0) frame = requestAnimationFrame(look)
    }
    look()
    window.addEventListener('scroll', lookSoon, { passive: true })
    window.addEventListener('resize', lookSoon)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', lookSoon)
      window.removeEventListener('resize', lookSoon)
    }
  }, [list, count, rowPx, openIndex, openPx])
  return range
}
