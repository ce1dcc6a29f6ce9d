/** A rectangle of the viewport, in px. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

const gapPx = 4

/** Height of a control that a finger can press reliably, in px. */
export const touchTargetPx = 44

/**
 * Finds the shortest vertical move of a box to a position in which it covers no obstacle.
 * @param viewport the area that the box must not leave
 * @param largeObstacles obstacles that the box can partly cover, if at least `touchTargetPx` of the
 *   obstacle stay free above, below or beside the box
 * @returns the move down (negative: up) in px, or null if there is no such position
 */
export function findFreeMove(
  box: Box,
  obstacles: readonly Box[],
  viewport: Box,
  largeObstacles: readonly Box[] = [],
): number | null {
  const isInWay = ({ left, right }: Box) => left < box.right && box.left < right
  const isFreeBeside = ({ left, right }: Box) => box.left - left >= touchTargetPx || right - box.right >= touchTargetPx
  const blockingObstacles = obstacles.filter(isInWay)
  const blockingLargeObstacles = largeObstacles.filter((each) => isInWay(each) && !isFreeBeside(each))
  const isFree = (move: number) => {
    const [top, bottom] = [box.top + move, box.bottom + move]
    return (
      top >= viewport.top &&
      bottom <= viewport.bottom &&
      blockingObstacles.every((each) => isApart(each, top, bottom)) &&
      blockingLargeObstacles.every(
        (each) =>
          top - each.top >= touchTargetPx || each.bottom - bottom >= touchTargetPx || isApart(each, top, bottom),
      )
    )
  }
  // The shortest move is 0, or it ends next to an obstacle, or it leaves exactly `touchTargetPx` of
  // a large obstacle free.
  const moves = [
    ...blockingObstacles.flatMap(({ top, bottom }) => [top - gapPx - box.bottom, bottom + gapPx - box.top]),
    ...blockingLargeObstacles.flatMap(({ top, bottom }) => [
      ...[top - gapPx - box.bottom, bottom + gapPx - box.top],
      ...[bottom - touchTargetPx - box.bottom, top + touchTargetPx - box.top],
    ]),
  ]
  return [0, ...moves].filter(isFree).sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
}

const isApart = (obstacle: Box, top: number, bottom: number) => obstacle.bottom <= top || bottom <= obstacle.top
