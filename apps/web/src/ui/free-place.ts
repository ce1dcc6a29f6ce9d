/** A rectangle of the viewport, in px. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

const gapPx = 4

/** What a finger needs of a control. */
export const fingerPx = 44

/**
 * Finds where a box covers no obstacle, by moving it up or down from its place.
 * @param room the box stays inside
 * @param large may be covered in part: `fingerPx` of their upper or lower end stay free
 * @returns the shortest move down (negative: up) in px, or null if there is no free place
 */
export function findFreeMove(
  box: Box,
  obstacles: readonly Box[],
  room: Box,
  large: readonly Box[] = [],
): number | null {
  const isInWay = ({ left, right }: Box) => left < box.right && box.left < right
  const [whole, partly] = [obstacles.filter(isInWay), large.filter(isInWay)]
  const isFree = (move: number) => {
    const [top, bottom] = [box.top + move, box.bottom + move]
    return (
      top >= room.top &&
      bottom <= room.bottom &&
      whole.every((each) => isApart(each, top, bottom)) &&
      partly.every(
        (each) => top - each.top >= fingerPx || each.bottom - bottom >= fingerPx || isApart(each, top, bottom),
      )
    )
  }
  // The nearest free place is here, beside an obstacle, or a finger's width into a large one.
  const moves = [
    ...whole.flatMap(({ top, bottom }) => [top - gapPx - box.bottom, bottom + gapPx - box.top]),
    ...partly.flatMap(({ top, bottom }) => [
      ...[top - gapPx - box.bottom, bottom + gapPx - box.top],
      ...[bottom - fingerPx - box.bottom, top + fingerPx - box.top],
    ]),
  ]
  return [0, ...moves].filter(isFree).sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
}

const isApart = (of: Box, top: number, bottom: number) => of.bottom <= top || bottom <= of.top
