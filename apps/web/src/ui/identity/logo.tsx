import { useMemo } from 'react'

/** Upper and lower edges of the bell's bands, in a 32 x 32 box. */
const bands = [
  [3, 11],
  [12.5, 17],
  [18.5, 21],
  [22.5, 24],
] as const
const smallBands = [
  [3, 12.5],
  [14.5, 18.5],
  [20.5, 24],
] as const

const profileStep = 0.25

/** Half the bell's width at height `y`: a dome of radius 7 above a flared skirt. */
function computeHalfWidth(y: number): number {
  return y <= 10 ? Math.sqrt(Math.max(0, 49 - (10 - y) ** 2)) : 7 + 5 * ((y - 10) / 14) ** 2.2
}

function formatBandPath([top, bottom]: readonly [number, number]): string {
  const steps = Math.round((bottom - top) / profileStep)
  const heights = Array.from({ length: steps + 1 }, (_, step) => top + (step * (bottom - top)) / steps)
  const right = heights.map((y) => `${(16 + computeHalfWidth(y)).toFixed(2)} ${y.toFixed(2)}`)
  const left = heights.reverse().map((y) => `${(16 - computeHalfWidth(y)).toFixed(2)} ${y.toFixed(2)}`)
  return `M${[...right, ...left].join('L')}Z`
}

function formatDiamondPath(x: number, y: number, half: number): string {
  return `M${x} ${y - half}L${x + half} ${y}L${x} ${y + half}L${x - half} ${y}Z`
}

function Bell({ small }: { small: boolean }) {
  const path = useMemo(() => (small ? smallBands : bands).map(formatBandPath).join(''), [small])
  return (
    <>
      <path d={path} className="fill-text-1" />
      <path d={small ? formatDiamondPath(16, 29, 3.5) : formatDiamondPath(16, 28.5, 3)} className="fill-signal" />
    </>
  )
}

/** The bell logo. From 64 px it is drawn as a seal, with two rings and 64 ticks. */
export function Mark({ size = 32 }: { size?: number }) {
  const isSeal = size >= 64
  return (
    <svg aria-hidden viewBox={isSeal ? '0 0 96 96' : '0 0 32 32'} width={size} height={size} className="shrink-0">
      {isSeal ? <SealMark size={size} /> : <Bell small={size < 28} />}
    </svg>
  )
}

function SealMark({ size }: { size: number }) {
  const ring = Math.max(1.5, (1.25 * 96) / size)
  return (
    <>
      <g fill="none" className="stroke-text-2" strokeWidth={ring}>
        <circle cx={48} cy={48} r={46} />
        <circle cx={48} cy={48} r={37} strokeWidth={ring * 0.8} />
        <path d={formatTickPath()} strokeWidth={ring * 0.8} />
      </g>
      <g transform="translate(17.6 15.2) scale(1.9)">
        <Bell small={false} />
      </g>
    </>
  )
}

function formatTickPath(): string {
  return Array.from({ length: 64 }, (_, tick) => {
    const angle = (tick * 5.625 - 90) * (Math.PI / 180)
    const outer = 40 + (tick % 4 === 0 ? 4 : 2.4)
    const formatPoint = (radius: number) =>
      `${(48 + radius * Math.cos(angle)).toFixed(2)} ${(48 + radius * Math.sin(angle)).toFixed(2)}`
    return `M${formatPoint(40)}L${formatPoint(outer)}`
  }).join('')
}

/**
 * "Tocsin" with a diamond as the dot of the i. Uses no style attributes: the content security
 * policy blocks them in prerendered pages.
 */
export function Wordmark() {
  return (
    <span
      role="img"
      aria-label="Tocsin"
      className="inline-block w-[2.52em] text-[18px] leading-none font-semibold tracking-[-0.012em] whitespace-nowrap [font-stretch:85%]"
    >
      Tocs
      <span className="relative inline-block">
        ı
        <svg
          aria-hidden
          viewBox="-1 -1 2 2"
          className="absolute top-[0.14em] left-1/2 ml-[-0.092em] size-[0.172em] fill-signal"
        >
          <path d="M0-1 1 0 0 1-1 0Z" />
        </svg>
      </span>
      n
    </span>
  )
}
