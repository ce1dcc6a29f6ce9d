import { memo, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import { drawRim, drawRosetteContour, drawSmallRosette, getContours } from './seal-geometry.ts'

export type SealState = 'unsigned' | 'signed' | 'anchored' | 'failed'

export type SealProps = {
  /** The alert's 32-byte leaf hash as hex; determines the petals. */
  leafHash: string
  /** The batch root as hex; determines the rim of an anchored seal. */
  root?: string | null | undefined
  state: SealState
  /** Px. More detail is drawn from 28, 72 and 400 px. */
  size?: number
  /** Decoration without a state, hidden from screen readers. */
  decorative?: boolean
  className?: string | undefined
}

export const sealLabels: Record<SealState, string> = {
  unsigned: 'Not yet anchored',
  signed: 'Signed',
  anchored: 'Anchored',
  failed: 'Failed',
}

type Strokes = { rosette: string; inner: string | null; outer: string; dashed: boolean }

const stateStrokes: Record<SealState, Strokes> = {
  unsigned: { rosette: 'stroke-text-3', inner: null, outer: 'stroke-text-3', dashed: true },
  signed: { rosette: 'stroke-text-2', inner: 'stroke-seal', outer: 'stroke-text-3', dashed: true },
  anchored: { rosette: 'stroke-seal', inner: 'stroke-seal', outer: 'stroke-seal', dashed: false },
  failed: { rosette: 'stroke-text-3', inner: 'stroke-text-3', outer: 'stroke-critical', dashed: false },
}
const decorativeStrokes: Strokes = {
  rosette: 'stroke-line-2',
  inner: 'stroke-line-2',
  outer: 'stroke-line-2',
  dashed: false,
}

/**
 * A rosette derived from the leaf hash, so it differs per alert. Violet is reserved for verified
 * states. Always show the state as text nearby.
 */
export const Seal = memo(function Seal(props: SealProps) {
  const { leafHash, root, state, size = 40, decorative = false, className } = props
  const padding = size >= 400 ? 7 : 1
  const body = <SealBody leafHash={leafHash} root={root} state={state} size={size} decorative={decorative} />
  return (
    <svg
      role="img"
      aria-hidden={decorative}
      aria-label={`Proof: ${sealLabels[state]}`}
      viewBox={`${-padding} ${-padding} ${96 + 2 * padding} ${96 + 2 * padding}`}
      width={size}
      height={size}
      fill="none"
      className={classNames('shrink-0 overflow-visible', className)}
    >
      {state === 'failed' && !decorative ? <SplitSeal shift={size >= 72 ? 3 : 4}>{body}</SplitSeal> : body}
    </svg>
  )
})

function SealBody({ leafHash, root, state, size, decorative }: Required<Omit<SealProps, 'className'>>) {
  const unitsPerPx = 96 / size
  const sealStrokes = decorative ? decorativeStrokes : stateStrokes[state]
  const hasRim = (state === 'anchored' || decorative) && size >= 72
  return (
    <>
      <Rosette leafHash={leafHash} size={size} className={sealStrokes.rosette} />
      {size >= 28 && sealStrokes.inner && (
        <circle cx={48} cy={48} r={37} strokeWidth={unitsPerPx} className={sealStrokes.inner} />
      )}
      {hasRim && root && <path d={drawRim(root)} strokeWidth={unitsPerPx} className={sealStrokes.outer} />}
      <OuterRing size={size} strokes={sealStrokes} />
      {size >= 400 && root && <Microprint root={root} />}
    </>
  )
}

function Rosette({ leafHash, size, className }: { leafHash: string; size: number; className: string }) {
  const unitsPerPx = 96 / size
  if (size < 28) return <path d={drawSmallRosette(leafHash)} strokeWidth={1.25 * unitsPerPx} className={className} />
  return (
    <g className={className}>
      {getContours(size).map(({ depth, widthPx, opacity }) => (
        <path
          key={depth}
          d={drawRosetteContour(leafHash, depth)}
          strokeWidth={widthPx * unitsPerPx}
          opacity={opacity}
        />
      ))}
    </g>
  )
}

function OuterRing({ size, strokes }: { size: number; strokes: Strokes }) {
  const radius = 45.5
  const unitsPerPx = 96 / size
  const ring = { cx: 48, cy: 48, r: radius, className: strokes.outer }
  if (!strokes.dashed) return <circle {...ring} strokeWidth={1.5 * unitsPerPx} />
  const dashes = size >= 72 ? 32 : size >= 28 ? 24 : 16
  return <circle {...ring} strokeWidth={1.25 * unitsPerPx} strokeDasharray={(Math.PI * radius) / dashes} />
}

/** Number of digits of the root in each text element of the microprint. */
const digitsPerPiece = 8

/**
 * The root, repeated four times around the seal like the microprint of a banknote. Drawn at ten
 * times the size and scaled down, because browsers may enforce a minimum font size. Split into
 * short pieces, because Largest Contentful Paint counts the bounding box of a text element, and a
 * box around the whole circle would be larger than any other text.
 */
function Microprint({ root }: { root: string }) {
  const pathId = useId()
  const radius = 496
  const digits = root.replace(/^0x/, '').repeat(4)
  const pieceCount = digits.length / digitsPerPiece
  const pieceLength = (2 * Math.PI * radius) / pieceCount
  return (
    <g transform="scale(.1)" className="fill-text-3 font-mono" fontSize={17.5}>
      <path id={pathId} fill="none" d={`M480 ${480 - radius}a${radius} ${radius} 0 1 1 -.1 0`} />
      {Array.from({ length: pieceCount }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have a fixed order
        <text key={index}>
          <textPath
            href={`#${pathId}`}
            startOffset={index * pieceLength}
            textLength={pieceLength}
            lengthAdjust="spacing"
          >
            {digits.slice(index * digitsPerPiece, (index + 1) * digitsPerPiece)}
          </textPath>
        </text>
      ))}
    </g>
  )
}

/** Splits the seal along a diagonal, so that a failure is visible at 20 px and without colour. */
function SplitSeal({ shift, children }: { shift: number; children: ReactNode }) {
  const id = useId()
  return (
    <>
      <clipPath id={`${id}-left`}>
        <path d="M80-10 16 106H-60V-10Z" />
      </clipPath>
      <clipPath id={`${id}-right`}>
        <path d="M80-10 16 106H160V-10Z" />
      </clipPath>
      <g transform={`translate(${-0.6 * shift} ${-shift})`}>
        <g clipPath={`url(#${id}-left)`}>{children}</g>
      </g>
      <g transform={`translate(${0.6 * shift} ${shift})`}>
        <g clipPath={`url(#${id}-right)`}>{children}</g>
      </g>
    </>
  )
}
