/**
 * Returns the first position of an ordered list for which the test holds, or the length of the
 * list. The test must hold for all later positions too.
 */
export function findFirst<Item>(
  list: { length: number; at(position: number): Item | undefined },
  isMatch: (item: Item) => boolean,
): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const item = list.at(middle)
    if (item !== undefined && !isMatch(item)) low = middle + 1
    else high = middle
  }
  return low
}
