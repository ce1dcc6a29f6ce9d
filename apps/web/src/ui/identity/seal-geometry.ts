/** All shapes are drawn in a 96 x 96 box. Angles start at the top and run clockwise. */
const centre = 48
const petals = 16
const smallPetals = 8

type Point = readonly [x: number, y: number]

function toPoint(degrees: number, radius: number): Point {
  const angle = ((degrees - 90) * Math.PI) / 180
  return [centre + radius * Math.cos(angle), centre + radius * Math.sin(angle)]
}

function formatPoint([x, y]: Point): string {
  return `${x.toFixed(2)} ${y.toFixed(2)}`
}

/** Byte `index` of a hash. Missing bytes are 0, so an invalid hash still draws a seal. */
function readByte(hash: string, index: number): number {
  const start = (hash.startsWith('0x') ? 2 : 0) + 2 * index
  return Number.parseInt(hash.slice(start, start + 2), 16) || 0
}

/** SVG path of a closed Catmull-Rom curve through the points. */
function formatSmoothLoop(points: readonly Point[]): string {
  const getPoint = (index: number): Point => points[(index + points.length) % points.length] ?? [centre, centre]
  const curves = points.map((_, index) => {
    const [previous, from, to, next] = [getPoint(index - 1), getPoint(index), getPoint(index + 1), getPoint(index + 2)]
    const control1: Point = [from[0] + (to[0] - previous[0]) / 6, from[1] + (to[1] - previous[1]) / 6]
    const control2: Point = [to[0] - (next[0] - from[0]) / 6, to[1] - (next[1] - from[1]) / 6]
    return `C${formatPoint(control1)} ${formatPoint(control2)} ${formatPoint(to)}`
  })
  return `M${formatPoint(getPoint(0))}${curves.join('')}Z`
}

/**
 * One contour of the rosette. Each byte pair of the leaf hash sets the outer and inner radius of a
 * petal.
 * @param depth 0 for the outermost contour, 1 for the innermost
 */
export function drawRosetteContour(leafHash: string, depth: number): string {
  const getTipRadius = (petal: number) => 25 + (10 * readByte(leafHash, 2 * (petal % petals))) / 255
  const points: Point[] = []
  for (let petal = 0; petal < petals; petal += 1) {
    const valleyEnd = 9 + (6 * readByte(leafHash, 2 * petal + 1)) / 255
    const valley = (getTipRadius(petal) + getTipRadius(petal + 1)) / 2 - 7
    points.push(toPoint(22.5 * petal, getTipRadius(petal) + (5 - getTipRadius(petal)) * depth))
    points.push(toPoint(22.5 * petal + 11.25, valley + (valleyEnd - valley) * depth))
  }
  return formatSmoothLoop(points)
}

/** The simplified rosette for seals below 28 px: eight petals, one contour. */
export function drawSmallRosette(leafHash: string): string {
  const points: Point[] = []
  for (let petal = 0; petal < smallPetals; petal += 1) {
    points.push(toPoint(45 * petal, 22 + (10 * readByte(leafHash, 2 * petal)) / 255))
    points.push(toPoint(45 * petal + 22.5, 11 + (4 * readByte(leafHash, 2 * petal + 1)) / 255))
  }
  return formatSmoothLoop(points)
}

/** 64 ticks around the rosette, one per half byte of the batch root. */
export function drawRim(root: string): string {
  let path = ''
  for (let tick = 0; tick < 64; tick += 1) {
    const byte = readByte(root, tick >> 1)
    const nibble = tick % 2 === 0 ? byte >> 4 : byte & 15
    path += `M${formatPoint(toPoint(5.625 * tick, 38.5))}L${formatPoint(toPoint(5.625 * tick, 39.5 + (4 * nibble) / 15))}`
  }
  return path
}

/** The contours of a seal of this size, outermost first. `widthPx` is in screen pixels. */
export function getContours(sizePx: number): { depth: number; widthPx: number; opacity: number }[] {
  if (sizePx < 72) {
    return [
      { depth: 0, widthPx: 1.15, opacity: 1 },
      { depth: 0.72, widthPx: 1, opacity: 1 },
    ]
  }
  const lastIndex = sizePx >= 400 ? 18 : 6
  return Array.from({ length: lastIndex + 1 }, (_, k) => ({
    depth: k / lastIndex,
    widthPx: k === 0 ? 1.2 : 0.8,
    opacity: k === 0 || k === lastIndex ? 1 : 0.78,
  }))
}
