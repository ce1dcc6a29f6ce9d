import type { ListedAlert } from '@tocsin/protocol'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { usePreferences } from '../../preferences.ts'
import { useMediaQuery, usePhone } from '../../ui/media-query.ts'
import { CompactRow, rowHeights } from './compact-row.tsx'
import { heightOf, rowsToDraw, topOf } from './row-window.ts'
import { useRowWindow } from './use-row-window.ts'

/** So many rows before the end of what is loaded, the next page is asked for. */
const aheadRows = 200
/** Room below for what the next page brings: the foot does not come into view to be pushed out of it again. */
const reservedRows = 40

type VirtualRowsProps = {
  list: RefObject<HTMLUListElement | null>
  entries: readonly ListedAlert[]
  openId: string | null
  /** Brought into view when it is there. */
  targetId: string | null
  /** How many there are in all, or -1 when nobody has counted to the end. */
  total: number
  /** Another page is on its way. */
  isMoreComing: boolean
  onToggle: (entry: ListedAlert) => void
  onNearEnd: () => void
}

/** Ten thousand rows of which only those in the window are drawn, besides the opened one and the one that has focus. */
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

/** How high the opened part is, as the browser has drawn it. */
function useHeight(openId: string | null) {
  const detail = useRef<HTMLDivElement>(null)
  const [px, setPx] = useState(0)
  // Before it is painted: for a moment it would lie over the rows below.
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

/** Once for each target, when its row has come. */
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

/** Arrow keys go from row to row. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-alert-row]') : null
  if (!step || !row) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-alert-row]')]
  rows[rows.indexOf(row) + step]?.focus()
  event.preventDefault()
}
