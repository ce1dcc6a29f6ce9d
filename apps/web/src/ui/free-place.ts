/** A rectangle of the viewport, in px. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

const gapPx = 4

/** Height of a control that a finger can press reliably, in px. */
export const fingerPx = 44

/**
 * Finds the shortest vertical move of a box to a position in which it covers no obstacle.
 * @param room the area that the box must not leave
 * @param large obstacles of which the box can cover a part, if it leaves `fingerPx` above, below or
 *   beside it free
 * @returns the move down (negative: up) in px, or null if there is no such position
 */
export function findFreeMove(
  box: Box,
  obstacles: readonly Box[],
  room: Box,
  large: readonly Box[] = [],
): number | null {
  const isInWay = ({ left, right }: Box) => left < box.right && box.left < right
  const isFreeBeside = ({ left, right }: Box) => box.left - left >= fingerPx || right - box.right >= fingerPx
  const whole = obstacles.filter(isInWay)
  const partly = large.filter((each) => isInWay(each) && !isFreeBeside(each))
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
  // Candidates for the shortest move: next to an obstacle, `fingerPx` inside an end of a large
  // obstacle, or no move.
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
