import { type RefObject, useEffect, useState } from 'react'

type Entry = { id: string }
export type LiveList<Item> = { shown: readonly Item[]; waiting: number }

/**
 * The list as it stood when it was held, each entry as it is now, and how many newer ones wait. `held` are the ids of then; null holds nothing. Where the
 * list was read anew meanwhile and has none of them left, what was shown stays (`before`).
 */
export function holdAt<Item extends Entry>(
  list: readonly Item[],
  held: ReadonlySet<string> | null,
  before: readonly Item[],
): LiveList<Item> {
  if (held === null) return { shown: list, waiting: 0 }
  const index = list.findIndex(({ id }) => held.has(id))
  return index === -1 ? { shown: before, waiting: list.length } : { shown: list.slice(index), waiting: index }
}

type Hold<Item> = { ids: ReadonlySet<string>; items: readonly Item[] }

/**
 * A list that grows at its top, but not under its reader: what is being read never moves. Held while paused, and while somebody points at the list, is in it
 * with the keyboard, selects in it, has a row of it open or has scrolled into it.
 * @param of what the list is of: another one begins with all that it has
 */
export function useLiveList<Item extends Entry>(
  list: readonly Item[],
  element: RefObject<HTMLElement | null>,
  of = '',
) {
  const [isPaused, setIsPaused] = useState(false)
  const [hold, setHold] = useState<Hold<Item> | null>(null)
  const [heldOf, setHeldOf] = useState(of)
  if (heldOf !== of) {
    setHeldOf(of)
    setHold(null)
  }
  const isReading = useIsReading(element)
  const isHeld = isPaused || isReading
  if (isHeld && hold === null && list.length > 0) setHold(holdOf(list))
  if (!isHeld && hold !== null) setHold(null)
  const current = isHeld ? hold : null
  return {
    ...holdAt(list, current?.ids ?? null, current?.items ?? list),
    isPaused,
    setIsPaused,
    /** What waits is shown; a paused list stays paused. */
    showNew: () => {
      setHold(holdOf(list))
      element.current?.scrollIntoView({ block: 'nearest' })
    },
  }
}

function holdOf<Item extends Entry>(items: readonly Item[]): Hold<Item> {
  return { ids: new Set(items.map(({ id }) => id)), items }
}

const headerPx = 64

/** Whether somebody is reading in the element now. */
function useIsReading(element: RefObject<HTMLElement | null>): boolean {
  const [isReading, setIsReading] = useState(false)
  useEffect(() => {
    let isHovered = false
    const look = () => {
      const list = element.current
      if (!list) return
      const hasFocus = list.contains(document.activeElement)
      const selection = document.getSelection()
      const isSelecting = selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode)
      const isOpen = list.querySelector('[aria-expanded="true"]') !== null
      const isScrolled = list.getBoundingClientRect().top < headerPx
      setIsReading(isHovered || hasFocus || isSelecting || isOpen || isScrolled)
    }
    const point = ({ target, pointerType }: PointerEvent) => {
      isHovered = pointerType === 'mouse' && target instanceof Node && (element.current?.contains(target) ?? false)
      look()
    }
    const leave = () => {
      isHovered = false
      look()
    }
    // A click may open or close a row: that is known when the page has drawn it.
    const lookSoon = () => setTimeout(look)
    const events: [EventTarget, string, EventListener][] = [
      [document, 'pointerover', point as EventListener],
      [document.documentElement, 'pointerleave', leave],
      [document, 'focusin', look],
      [document, 'focusout', lookSoon],
      [document, 'selectionchange', look],
      [document, 'click', lookSoon],
      [window, 'scroll', look],
      [window, 'resize', look],
    ]
    for (const [target, name, listener] of events) target.addEventListener(name, listener, { passive: true })
    look()
    return () => {
      for (const [target, name, listener] of events) target.removeEventListener(name, listener)
    }
  }, [element])
  return isReading
}
