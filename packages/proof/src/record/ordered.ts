/**
 * The first position from 0 to `length` that has a property, by binary search. All positions after
 * it must have the property too. Returns `length` if no position has it.
 */
export function findFirstIndex(length: number, isMatch: (position: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isMatch(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Groups items by key, in order of the first item of each group. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
