import type { ListedAlert } from '@tocsin/protocol'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { useMediaQuery, usePhone } from '../../ui/media-query.ts'
import { CompactRow, rowHeights } from './compact-row.tsx'
import { heightOf, indexAt, type RowSizes, rowsToDraw, topOf } from './row-window.ts'

/** The next page is requested this many rows before the end of the loaded ones. */
const aheadRows = 200
/** Space reserved for the next page, so that the footer does not appear and move away again. */
const reservedRows = 40

type VirtualRowsProps = {
  list: RefObject<HTMLUListElement | null>
  entries: readonly ListedAlert[]
  openId: string | null
  /** Id of the row to scroll to, once it is loaded. */
  targetId: string | null
  /** Total number of rows, or -1 if unknown. */
  total: number
  /** Another page is loading. */
  isMoreComing: boolean
  onToggle: (entry: ListedAlert) => void
  onNearEnd: () => void
}

/**
 * Virtualised list of up to ten thousand rows. Renders the rows in the viewport, the open one and
 * the focused one.
 */
export function VirtualRows({
  list,
  entries,
  openId,
  targetId,
  total,
  isMoreComing,
  onToggle,
  onNearEnd,
}: VirtualRowsProps) {
  const rowPx = useRowHeight()
  const count = entries.length
  const openIndex = openId === null ? -1 : entries.findIndex(({ id }) => id === openId)
  const { detail, px } = useHeight(openIndex === -1 ? null : openId)
  const sizes = { count, rowPx, openIndex, openPx: px }
  const { first, last } = useRowWindow(list, sizes)
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const focusedIndex = focusedId === null ? -1 : entries.findIndex(({ id }) => id === focusedId)

  useEffect(() => {
    if (last >= count - aheadRows) onNearEnd()
  }, [last, count, onNearEnd])
  useScrollTo(list, targetId, targetId === null ? -1 : entries.findIndex(({ id }) => id === targetId), rowPx)

  return (
    <ul
      ref={list}
      aria-label="Alerts, newest first"
      className="relative scroll-mt-40"
      style={{ height: heightOf(sizes) + (isMoreComing ? reservedRows * rowPx : 0) }}
      onKeyDown={moveFocus}
      onBlur={() => setFocusedId(null)}
    >
      {rowsToDraw(first, last, [openIndex, focusedIndex], count).map((index) => {
        const entry = entries[index]
        if (!entry) return null
        const isOpen = index === openIndex
        return (
          <li
            key={entry.id}
            aria-posinset={index + 1}
            aria-setsize={total}
            className="absolute inset-x-0 top-0"
            style={{
              transform: `translateY(${topOf(index, sizes)}px)`,
              zIndex: index === focusedIndex ? 1 : undefined,
            }}
            onFocus={() => setFocusedId(entry.id)}
          >
            <CompactRow entry={entry} isOpen={isOpen} onToggle={onToggle} {...(isOpen ? { detail } : {})} />
          </li>
        )
      })}
    </ul>
  )
}

function useRowHeight(): number {
  const { preferences } = usePreferences()
  const isWide = useMediaQuery('(width >= 64rem)')
  const isPhone = usePhone()
  if (isWide) return rowHeights[preferences.density]
  return isPhone ? rowHeights.phone : rowHeights.tablet
}

/** Measured height of the expanded part. */
function useHeight(openId: string | null) {
  const detail = useRef<HTMLDivElement>(null)
  const [px, setPx] = useState(0)
  // A layout effect, because otherwise the part would overlap the rows below for one frame.
  useLayoutEffect(() => {
    const element = detail.current
    if (openId === null || !element) return
    setPx(element.offsetHeight)
    const observer = new ResizeObserver(() => setPx(element.offsetHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [openId])
  return { detail, px: openId === null ? 0 : px }
}

/** Scrolls once per target, when its row is loaded. */
function useScrollTo(list: RefObject<HTMLElement | null>, id: string | null, index: number, rowPx: number): void {
  const doneId = useRef<string | null>(null)
  useEffect(() => {
    if (index === -1 || doneId.current === id) return
    doneId.current = id
    const top = list.current?.getBoundingClientRect().top ?? 0
    window.scrollBy({ top: top + index * rowPx - window.innerHeight / 3 })
  }, [list, id, index, rowPx])
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

/** Moves focus between rows with the arrow keys. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-alert-row]') : null
  if (!step || !row) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-alert-row]')]
  rows[rows.indexOf(row) + step]?.focus()
  event.preventDefault()
}

/**
 * Overscan: rows rendered overscan the viewport for fast scrolling and for moving focus with Tab.
 */
const overscan = 12

type Range = { first: number; last: number }

/**
 * Which rows of a list are in the window, and a little overscan. The page scrolls, not the list.
 */
function useRowWindow(list: RefObject<HTMLElement | null>, sizes: RowSizes): Range {
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
