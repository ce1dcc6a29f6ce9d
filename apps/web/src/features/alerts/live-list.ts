import { type RefObject, useEffect, useState } from 'react'

/**
 * Returns the log index of an item. It stays the same when a locked row becomes readable, whereas
 * the id changes.
 */
type GetLogIndex<Item> = (item: Item) => number
export type LiveList<Item> = { shownItems: readonly Item[]; waitingCount: number }

/**
 * Returns the entries that were in the list when it was frozen, with their current data, and the
 * number of newer entries.
 * @param heldIndexes log indexes of these entries; null if the list is not frozen
 * @param previousItems the entries that were shown before. They are kept if the list was fetched
 *   again and contains none of the held entries
 */
export function freezeList<Item>(
  list: readonly Item[],
  getLogIndex: GetLogIndex<Item>,
  heldIndexes: ReadonlySet<number> | null,
  previousItems: readonly Item[],
): LiveList<Item> {
  if (heldIndexes === null) return { shownItems: list, waitingCount: 0 }
  const firstHeldIndex = list.findIndex((item) => heldIndexes.has(getLogIndex(item)))
  return firstHeldIndex === -1
    ? { shownItems: previousItems, waitingCount: list.length }
    : { shownItems: list.slice(firstHeldIndex), waitingCount: firstHeldIndex }
}

type FrozenList<Item> = { indexes: ReadonlySet<number>; items: readonly Item[] }

/**
 * A list to which entries are added at the top, without moving under the reader. It is frozen while
 * it is paused, and while the user points at it, has the keyboard focus or a selection in it, has
 * opened a row, or has scrolled into it.
 * @param listKey identifies the list; if it changes, all entries are shown
 */
export function useLiveList<Item>(
  list: readonly Item[],
  getLogIndex: GetLogIndex<Item>,
  element: RefObject<HTMLElement | null>,
  listKey = '',
) {
  const [isPaused, setIsPaused] = useState(false)
  const [frozenList, setFrozenList] = useState<FrozenList<Item> | null>(null)
  const [heldListKey, setHeldListKey] = useState(listKey)
  if (heldListKey !== listKey) {
    setHeldListKey(listKey)
    setFrozenList(null)
  }
  const isReading = useIsReading(element)
  const isHeld = isPaused || isReading
  if (isHeld && frozenList === null && list.length > 0) setFrozenList(createFrozenList(list, getLogIndex))
  if (!isHeld && frozenList !== null) setFrozenList(null)
  const activeHold = isHeld ? frozenList : null
  return {
    ...freezeList(list, getLogIndex, activeHold?.indexes ?? null, activeHold?.items ?? list),
    isPaused,
    setIsPaused,
    /** Shows the waiting entries. If the list is paused, it stays paused. */
    showNew: () => {
      setFrozenList(createFrozenList(list, getLogIndex))
      element.current?.scrollIntoView({ block: 'nearest' })
    },
  }
}

function createFrozenList<Item>(items: readonly Item[], getLogIndex: GetLogIndex<Item>): FrozenList<Item> {
  return { indexes: new Set(items.map(getLogIndex)), items }
}

const headerPx = 64

/**
 * Returns whether the user reads in the element: points at it with a mouse, has the focus or a
 * selection in it, has opened a row, or has scrolled into it.
 */
export function useIsReading(element: RefObject<HTMLElement | null>): boolean {
  const [isReading, setIsReading] = useState(false)
  useEffect(() => {
    let isHovered = false
    let isScrolled = false
    let isSelecting = false
    const update = () => {
      const list = element.current
      if (!list) return
      const hasFocus = list.contains(document.activeElement)
      const isOpen = list.querySelector('[aria-expanded="true"]') !== null
      setIsReading(isHovered || hasFocus || isSelecting || isOpen || isScrolled)
    }
    // Not called after a click, because measuring would force a layout of the new rows before the
    // next frame, in a separate task.
    const measure = () => {
      const list = element.current
      const topEdge = list?.closest('[data-scroller]')?.getBoundingClientRect().top ?? headerPx
      isScrolled = list !== null && list.getBoundingClientRect().top < topEdge
      update()
    }
    // Called only when the selection changes, because reading the selection forces a layout of the
    // page.
    const updateSelection = () => {
      const selection = document.getSelection()
      const anchor = selection?.isCollapsed === false ? selection.anchorNode : null
      isSelecting = anchor !== null && element.current?.contains(anchor) === true
      update()
    }
    const onPointerOver = ({ target, pointerType }: PointerEvent) => {
      isHovered = pointerType === 'mouse' && target instanceof Node && (element.current?.contains(target) ?? false)
      update()
    }
    const onPointerLeave = () => {
      isHovered = false
      update()
    }
    // Wait for the next render, because a click may open or close a row and the DOM changes only
    // then.
    const updateAfterRender = () => setTimeout(update)
    const events: [EventTarget, string, EventListener][] = [
      [document, 'pointerover', onPointerOver as EventListener],
      [document.documentElement, 'pointerleave', onPointerLeave],
      [document, 'focusin', update],
      [document, 'focusout', updateAfterRender],
      [document, 'selectionchange', updateSelection],
      [document, 'click', updateAfterRender],
      [window, 'scroll', measure],
      [window, 'resize', measure],
    ]
    // Scroll events of elements do not bubble, so listen in the capture phase. `pointerleave` is
    // not captured, because the listener would then get the events of all elements.
    const getOptions = (name: string) => ({ passive: true, capture: name === 'scroll' })
    for (const [target, name, listener] of events) target.addEventListener(name, listener, getOptions(name))
    const frame = requestAnimationFrame(measure)
    return () => {
      cancelAnimationFrame(frame)
      for (const [target, name, listener] of events) target.removeEventListener(name, listener, getOptions(name))
    }
  }, [element])
  return isReading
}
