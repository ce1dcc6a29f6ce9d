/** The last `size` numbers, as plain JSON. Positions that were never written read as 0. */
export interface Ring {
  next: number
  values: number[]
}

export function createRing(size: number): Ring {
  return { next: 0, values: new Array<number>(size).fill(0) }
}

export function push(ring: Ring, value: number): void {
  ring.values[ring.next] = value
  ring.next = (ring.next + 1) % ring.values.length
}

/**
 * @param ago position counted from the newest value: 0 for the newest, at most the ring's size - 1
 */
export function getPast(ring: Ring, ago: number): number {
  const size = ring.values.length
  return ring.values[(ring.next - 1 - ago + 2 * size) % size] ?? 0
}

/** Sum of the newest `count` values. */
export function sumNewest(ring: Ring, count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += getPast(ring, i)
  return sum
}
