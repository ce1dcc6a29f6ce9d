import { useState } from 'react'

/** What is shown of a list that grows at its top, and how many newer entries wait behind "n new". */
export type HeldList<Item> = { shown: readonly Item[]; waiting: number }

/** The list without what came after `heldTop`, the entry that was on top when it was held; an entry that is gone holds nothing. */
export function holdList<Item extends { id: string }>(list: readonly Item[], heldTop: string | null): HeldList<Item> {
  const index = heldTop === null ? 0 : list.findIndex(({ id }) => id === heldTop)
  return index <= 0 ? { shown: list, waiting: 0 } : { shown: list.slice(index), waiting: index }
}

/** Lets a reader stop a live list: what is being read never moves. */
export function useHeldList<Item extends { id: string }>(list: readonly Item[]) {
  const [heldTop, setHeldTop] = useState<string | null>(null)
  return {
    ...holdList(list, heldTop),
    isHeld: heldTop !== null,
    hold: () => setHeldTop((top) => top ?? list[0]?.id ?? null),
    release: () => setHeldTop(null),
  }
}
