/** A rectangle of the viewport, in px. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

const gapPx = 4

/**
 * Finds where a box covers no obstacle, by moving it up or down from its place.
 * @param room the box stays inside
 * @returns the shortest move down (negative: up) in px, or null if there is no free place
 */
export function findFreeMove(box: Box, obstacles: readonly Box[], room: Box): number | null {
  const inWay = obstacles.filter(({ left, right }) => left < box.right && box.left < right)
  const isFree = (move: number) =>
    box.top + move >= room.top &&
    box.bottom + move <= room.bottom &&
    inWay.every(({ top, bottom }) => bottom <= box.top + move || box.bottom + move <= top)
  // The nearest free place is here, or beside an obstacle.
  const moves = inWay.flatMap(({ top, bottom }) => [top - gapPx - box.bottom, bottom + gapPx - box.top])
  return [0, ...moves].filter(isFree).sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
}
