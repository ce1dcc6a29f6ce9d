/** A rectangle of the viewport, in px. */
export interface Rect {
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
export function findFreeOffset(
  rect: Rect,
  obstacles: readonly Rect[],
  viewport: Rect,
  largeObstacles: readonly Rect[] = [],
): number | null {
  const overlapsHorizontally = ({ left, right }: Rect) => left < rect.right && rect.left < right
  const isFreeBeside = ({ left, right }: Rect) =>
    rect.left - left >= touchTargetPx || right - rect.right >= touchTargetPx
  const blockingObstacles = obstacles.filter(overlapsHorizontally)
  const blockingLargeObstacles = largeObstacles.filter((each) => overlapsHorizontally(each) && !isFreeBeside(each))
  const isFree = (move: number) => {
    const [top, bottom] = [rect.top + move, rect.bottom + move]
    return (
      top >= viewport.top &&
      bottom <= viewport.bottom &&
      blockingObstacles.every((each) => isVerticallyClear(each, top, bottom)) &&
      blockingLargeObstacles.every(
        (each) =>
          top - each.top >= touchTargetPx ||
          each.bottom - bottom >= touchTargetPx ||
          isVerticallyClear(each, top, bottom),
      )
    )
  }
  // The shortest move is 0, or it ends next to an obstacle, or it leaves exactly `touchTargetPx` of
  // a large obstacle free.
  const moves = [
    ...blockingObstacles.flatMap(({ top, bottom }) => [top - gapPx - rect.bottom, bottom + gapPx - rect.top]),
    ...blockingLargeObstacles.flatMap(({ top, bottom }) => [
      ...[top - gapPx - rect.bottom, bottom + gapPx - rect.top],
      ...[bottom - touchTargetPx - rect.bottom, top + touchTargetPx - rect.top],
    ]),
  ]
  return [0, ...moves].filter(isFree).sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
}

const isVerticallyClear = (obstacle: Rect, top: number, bottom: number) =>
  obstacle.bottom <= top || bottom <= obstacle.top
