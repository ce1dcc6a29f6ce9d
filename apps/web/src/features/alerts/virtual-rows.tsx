import type { ListedAlert } from '@tocsin/protocol'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  startTransition,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { formatAlertName } from '../alert/alert-texts.ts'
import {
  countRowsInView,
  extendRows,
  filterHeadings,
  findRowIndex,
  getHeight,
  getRowTopPx,
  limitRenderedRows,
  listRowsToDraw,
  type RowRange,
  type RowSizes,
} from './row-window.ts'

/** Number of rows before the end of the loaded rows at which the next page is requested. */
const prefetchRows = 200
/**
 * Number of rows for which space is reserved if another page will be loaded, so that the footer
 * does not appear and move away again.
 */
const reservedRows = 40

/** A heading that is drawn above the row `index`. */
type RowHeader = { index: number; content: ReactNode }

type VirtualRowsProps = {
  list: RefObject<HTMLElement | null>
  entries: readonly ListedAlert[]
  /** Height of a closed row in px. */
  rowPx: number
  /**
   * Renders a row. `detailRef` is the ref of the expanded part, which the list measures.
   * `isTabStop` is true for exactly one row, so that `renderRow` can make it the only row that Tab
   * reaches.
   */
  renderRow: (
    entry: ListedAlert,
    open: { detailRef: RefObject<HTMLDivElement | null> } | null,
    isTabStop: boolean,
  ) => ReactNode
  openId?: string | null
  /** Id of the row to scroll to as soon as it is loaded. */
  targetId: string | null
  /** Total number of rows, or -1 if unknown. */
  total: number
  /** Identifies the list by its filters. */
  listKey: string | undefined
  /** True if another page will be loaded. */
  isMoreComing: boolean
  headings?: readonly RowHeader[]
  onNearEnd: () => void
  /** Called with the first row in the viewport. */
  onFirstVisibleRowChange?: (index: number) => void
}

/** Height of a heading between rows in px. */
const headingPx = 24
const noHeadings: readonly RowHeader[] = []

/**
 * Virtualised list of up to ten thousand rows. Renders the rows in the viewport, the open one, and
 * the focused one with its neighbours, so that the arrow keys reach a neighbour even if the focused
 * row is out of view.
 */
export function VirtualRows({
  list,
  entries,
  rowPx,
  renderRow,
  openId = null,
  targetId,
  total,
  listKey,
  isMoreComing,
  headings = noHeadings,
  onNearEnd,
  onFirstVisibleRowChange,
}: VirtualRowsProps) {
  const count = entries.length
  const openIndex = openId === null ? -1 : entries.findIndex(({ id }) => id === openId)
  const { detailRef, px } = useDetailHeight(openIndex === -1 ? null : openId)
  const sizes = { count, rowPx, openIndex, openPx: px, headingIndexes: headings.map(({ index }) => index), headingPx }
  const { first, last, top } = useRowWindow(list, listKey, sizes)
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const focusedIndex = focusedId === null ? -1 : entries.findIndex(({ id }) => id === focusedId)

  const focusNeighbors = focusedIndex === -1 ? [] : [focusedIndex - 1, focusedIndex, focusedIndex + 1]
  const tabStopIndex = focusedIndex === -1 ? Math.min(top, count - 1) : focusedIndex

  useEffect(() => {
    if (last >= count - prefetchRows) onNearEnd()
  }, [last, count, onNearEnd])
  useEffect(() => onFirstVisibleRowChange?.(top), [top, onFirstVisibleRowChange])
  useScrollTo(
    list,
    targetId,
    entries.findIndex(({ id }) => id === targetId),
    sizes,
  )

  return (
    <div
      ref={list as RefObject<HTMLDivElement | null>}
      role="feed"
      aria-label="Alerts, newest first"
      className="relative scroll-mt-40"
      style={{ height: getHeight(sizes) + (isMoreComing ? reservedRows * rowPx : 0) }}
      onKeyDown={moveFocus}
      onBlur={() => setFocusedId(null)}
    >
      {filterHeadings(first, last, headings).map(({ index, content }) => (
        <div
          key={`head ${index}`}
          aria-hidden
          className="absolute inset-x-0 top-0"
          style={{ transform: `translateY(${getRowTopPx(index, sizes) - headingPx}px)` }}
        >
          {content}
        </div>
      ))}
      {listRowsToDraw(first, last, [openIndex, ...focusNeighbors], count).map((index) => {
        const entry = entries[index]
        if (!entry) return null
        return (
          <article
            key={entry.id}
            aria-label={formatAlertName(entry.alert)}
            aria-posinset={index + 1}
            aria-setsize={total}
            data-tab-stop={index === tabStopIndex || undefined}
            className="absolute inset-x-0 top-0"
            style={{
              transform: `translateY(${getRowTopPx(index, sizes)}px)`,
              zIndex: index === focusedIndex ? 1 : undefined,
            }}
            onFocus={() => setFocusedId(entry.id)}
          >
            {renderRow(entry, index === openIndex ? { detailRef } : null, index === tabStopIndex)}
          </article>
        )
      })}
    </div>
  )
}

/** Measures the height of the expanded part in px. */
function useDetailHeight(openId: string | null) {
  const detailRef = useRef<HTMLDivElement>(null)
  const [px, setPx] = useState(0)
  // Measure in a layout effect. An effect after the paint would be too late: the expanded part of
  // the open row would overlap the rows below for one frame.
  useLayoutEffect(() => {
    const element = detailRef.current
    if (openId === null || !element) return
    setPx(element.offsetHeight)
    const observer = new ResizeObserver(() => setPx(element.offsetHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [openId])
  return { detailRef, px: openId === null ? 0 : px }
}

/**
 * Scrolls to a row as soon as it is loaded, unless it is in the viewport. Scrolls once per target.
 * If the target is cleared and set again, it counts as a new one.
 */
function useScrollTo(list: RefObject<HTMLElement | null>, id: string | null, index: number, sizes: RowSizes): void {
  const scrolledId = useRef<string | null>(null)
  const px = index === -1 ? 0 : getRowTopPx(index, sizes)
  useEffect(() => {
    if (id === null) scrolledId.current = null
    if (index === -1 || scrolledId.current === id || !list.current) return
    scrolledId.current = id
    const scroller = getScroller(list.current)
    const { top, bottom } = scroller.getBoundingClientRect()
    const [viewTop, viewBottom] = [Math.max(0, top), Math.min(window.innerHeight, bottom)]
    const rowTop = list.current.getBoundingClientRect().top + px
    if (rowTop >= viewTop && rowTop <= viewBottom - 64) return
    scroller.scrollBy({ top: rowTop - viewTop - (viewBottom - viewTop) / 3 })
  }, [list, id, index, px])
}

/** Returns the element that scrolls the list: an ancestor with `data-scroller`, or the page. */
function getScroller(list: Element): Element {
  return list.closest('[data-scroller]') ?? document.documentElement
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
 * Number of rows that are rendered above and below the viewport, for fast scrolling and for moving
 * the focus with Tab.
 */
const overscan = 12
/** Maximum number of rows of the overscan that a frame adds at each end. */
const rowsPerFrame = 4
/** Minimum height in px of the content above a list. Assumed until the list has been measured. */
const aboveListPx = 160

/**
 * `first` and `last` are the rendered rows, and `next` the rows that will be rendered. `top` is the
 * first row in view. `inView` is the number of closed rows that fit in the window below the top of
 * the list.
 */
type RenderedRange = RowRange & { next: RowRange; top: number; inView: number }
type MeasuredPosition = { top: number; height: number }

const isSameRows = (one: RowRange, other: RowRange) => one.first === other.first && one.last === other.last
const isSameRange = (one: RenderedRange, other: RenderedRange) =>
  isSameRows(one, other) && isSameRows(one.next, other.next) && one.inView === other.inView

/**
 * Returns which rows of a list are in the window, with some overscan. The list is as high as all
 * its rows, and the page or an element around the list scrolls.
 */
function useRowWindow(
  list: RefObject<HTMLElement | null>,
  listKey: string | undefined,
  sizes: RowSizes,
): RenderedRange {
  const [range, setRange] = useState<RenderedRange>(() => {
    const inView = Math.ceil((window.innerHeight - aboveListPx) / sizes.rowPx)
    const rows = { first: 0, last: inView }
    return { ...rows, next: rows, top: 0, inView }
  })
  const [drawnListKey, setDrawnListKey] = useState(listKey)
  if (drawnListKey !== listKey) {
    setDrawnListKey(listKey)
    const { inView } = range
    const firstRow = Math.max(0, Math.min(range.top, sizes.count - inView))
    const rows = { first: firstRow, last: firstRow + inView }
    setRange({ ...rows, next: rows, top: firstRow, inView })
  }
  const measuredListKey = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (isSameRows(range, range.next)) return
    // Render the remaining rows in several frames: all rows in one task would be a long task,
    // because the browser lays them out together. Extend the latest range (`before`) and not
    // `range`, because the list can scroll before the transition runs.
    const extend = () => setRange((before) => ({ ...before, ...extendRows(before, before.next, rowsPerFrame) }))
    const frame = requestAnimationFrame(() => startTransition(extend))
    return () => cancelAnimationFrame(frame)
  }, [range])
  /**
   * Last measured top of the list in the window, and height of the window, both in px. Kept because
   * measuring forces a layout of the page.
   */
  const lastMeasured = useRef<MeasuredPosition | null>(null)
  const key = JSON.stringify(sizes)
  useEffect(() => {
    const currentSizes: RowSizes = JSON.parse(key)
    let frame = 0
    const setRows = ({ top, height }: MeasuredPosition, isFirst = false) => {
      const [firstInView, lastInView] = [findRowIndex(-top, currentSizes), findRowIndex(height - top, currentSizes)]
      const inView = { first: firstInView, last: lastInView }
      const nextRows = { first: firstInView - overscan, last: lastInView + overscan }
      setRange((before) => {
        // Render only the new rows in the window immediately. The first time, all rows are rendered
        // in a transition.
        const rows = isFirst ? nextRows : limitRenderedRows(before, inView, nextRows)
        const range = { ...rows, next: nextRows, top: firstInView, inView: countRowsInView(top, height, currentSizes) }
        return isSameRange(before, range) ? before : range
      })
    }
    const measureRows = () => {
      frame = 0
      const top = list.current?.getBoundingClientRect().top
      if (top === undefined) return
      const isFirst = lastMeasured.current === null
      lastMeasured.current = { top, height: window.innerHeight }
      setRows(lastMeasured.current, isFirst)
    }
    const scheduleMeasurement = () => {
      if (frame === 0) frame = requestAnimationFrame(measureRows)
    }
    // The first measurement is not urgent, so a transition renders the rows around the window in
    // slices.
    if (lastMeasured.current === null) startTransition(measureRows)
    else if (measuredListKey.current !== drawnListKey) frame = requestAnimationFrame(() => startTransition(measureRows))
    else {
      // Use the last measurement now and measure in the next frame. Measuring now would lay out the
      // new rows once more.
      setRows(lastMeasured.current)
      scheduleMeasurement()
    }
    measuredListKey.current = drawnListKey
    // Scroll events of elements do not bubble, so listen in the capture phase.
    window.addEventListener('scroll', scheduleMeasurement, { passive: true, capture: true })
    window.addEventListener('resize', scheduleMeasurement)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', scheduleMeasurement, { capture: true })
      window.removeEventListener('resize', scheduleMeasurement)
    }
  }, [list, key, drawnListKey])
  return range
}
