/** Everything is drawn in a box of 96 around (48, 48); angles start at the top and run clockwise. */
const centre = 48
const petals = 16
const smallPetals = 8

type Point = readonly [x: number, y: number]

function polar(degrees: number, radius: number): Point {
  const angle = ((degrees - 90) * Math.PI) / 180
  return [centre + radius * Math.cos(angle), centre + radius * Math.sin(angle)]
}

function write([x, y]: Point): string {
  return `${x.toFixed(2)} ${y.toFixed(2)}`
}

/** Byte `index` of a hash; absent bytes count as 0, so a short hash draws a small seal instead of failing. */
function byteAt(hash: string, index: number): number {
  const start = (hash.startsWith('0x') ? 2 : 0) + 2 * index
  return Number.parseInt(hash.slice(start, start + 2), 16) || 0
}

/** A closed Catmull-Rom curve through the points. */
function smoothLoop(points: readonly Point[]): string {
  const at = (index: number): Point => points[(index + points.length) % points.length] ?? [centre, centre]
  const curves = points.map((_, index) => {
    const [before, from, to, after] = [at(index - 1), at(index), at(index + 1), at(index + 2)]
    const leaving: Point = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6]
    const arriving: Point = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6]
    return `C${write(leaving)} ${write(arriving)} ${write(to)}`
  })
  return `M${write(at(0))}${curves.join('')}Z`
}

/**
 * One contour of the rosette: byte pairs of the leaf hash give the radius of each petal and of its inner end.
 * @param depth 0 is the outermost contour, 1 the innermost.
 */
export function rosetteContour(leafHash: string, depth: number): string {
  const tip = (petal: number) => 25 + (10 * byteAt(leafHash, 2 * (petal % petals))) / 255
  const points: Point[] = []
  for (let petal = 0; petal < petals; petal += 1) {
    const valleyEnd = 9 + (6 * byteAt(leafHash, 2 * petal + 1)) / 255
    const valley = (tip(petal) + tip(petal + 1)) / 2 - 7
    points.push(polar(22.5 * petal, tip(petal) + (5 - tip(petal)) * depth))
    points.push(polar(22.5 * petal + 11.25, valley + (valleyEnd - valley) * depth))
  }
  return smoothLoop(points)
}

/** The rosette of seals under 28 px: eight petals, one contour. */
export function smallRosette(leafHash: string): string {
  const points: Point[] = []
  for (let petal = 0; petal < smallPetals; petal += 1) {
    points.push(polar(45 * petal, 22 + (10 * byteAt(leafHash, 2 * petal)) / 255))
    points.push(polar(45 * petal + 22.5, 11 + (4 * byteAt(leafHash, 2 * petal + 1)) / 255))
  }
  return smoothLoop(points)
}

/** 64 ticks round the rosette, one for each half byte of the batch root. */
export function rim(root: string): string {
  let path = ''
  for (let tick = 0; tick < 64; tick += 1) {
    const byte = byteAt(root, tick >> 1)
    const nibble = tick % 2 === 0 ? byte >> 4 : byte & 15
    path += `M${write(polar(5.625 * tick, 38.5))}L${write(polar(5.625 * tick, 39.5 + (4 * nibble) / 15))}`
  }
  return path
}

/** The contours a seal of this size has, outermost first: depth, stroke in screen px, opacity. */
export function contoursOf(sizePx: number): { depth: number; widthPx: number; opacity: number }[] {
  if (sizePx < 72) {
    return [
      { depth: 0, widthPx: 1.15, opacity: 1 },
      { depth: 0.72, widthPx: 1, opacity: 1 },
    ]
  }
  const last = sizePx >= 400 ? 18 : 6
  return Array.from({ length: last + 1 }, (_, k) => ({
    depth: k / last,
    widthPx: k === 0 ? 1.2 : 0.8,
    opacity: k === 0 || k === last ? 1 : 0.78,
  }))
}
