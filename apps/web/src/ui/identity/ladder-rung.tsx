import { shortenHash } from '../short-hex.ts'
import { failureBox, type LadderLayout, type LadderRung, type RungState } from './ladder-layout.ts'

const msPerRung = 60

type RungProps = {
  rung: LadderRung
  number: number
  /** The running hash, computed by the rung above. */
  inputHash: string
  fromY: number
  state: RungState
  /** True if the rung above failed. The failure box is then between that rung and this one. */
  isAfterFailureBox: boolean
  layout: LadderLayout
}

/** One step of the Merkle path: the running hash is combined with its sibling. */
export function Rung({ rung, number, inputHash, fromY, state, isAfterFailureBox, layout }: RungProps) {
  const y = layout.rungY[number - 1] ?? 0
  const isSiblingLeft = rung.side === 'left'
  const runningX = isSiblingLeft ? layout.right : layout.left
  const siblingX = isSiblingLeft ? layout.left : layout.right
  const isReached = state !== 'unreached'
  const startY = isAfterFailureBox ? fromY + failureBox.gap + failureBox.height + 4 : fromY + 6
  const turnY = isAfterFailureBox ? y - 20 : (fromY + y) / 2 + (number === 1 ? 3 : 0)
  const path = `M${layout.centre} ${startY}V${turnY}H${runningX}V${y}H${layout.centre}`
  return (
    <g>
      <text x={0} y={y} className="ladder-text fill-text-2">
        {number}
      </text>
      <path d={`M${siblingX} ${y}H${layout.centre}`} className="stroke-line-2" opacity={0.75} />
      {isReached ? (
        <path
          d={path}
          strokeWidth={1.5}
          className="animate-light stroke-seal"
          style={{ animationDelay: `${number * msPerRung}ms` }}
        />
      ) : (
        <path d={path} strokeDasharray="2 3" className="stroke-line-2" />
      )}
      <rect
        x={siblingX - 3.5}
        y={y - 3.5}
        width={8}
        height={8}
        transform="translate(-.5 -.5)"
        className="fill-ink-1 stroke-text-3"
      />
      <RungHash x={siblingX} y={y} left={isSiblingLeft} className="fill-text-2">
        {shortenHash(rung.sibling)}
      </RungHash>
      <rect
        x={runningX - 4}
        y={y - 4}
        width={8}
        height={8}
        className={isReached ? 'fill-seal' : 'fill-ink-1 stroke-line-2'}
      />
      <RungHash x={runningX} y={y} left={!isSiblingLeft} className={isReached ? 'fill-text-1' : 'fill-text-3'}>
        {isReached ? shortenHash(inputHash) : 'not reached'}
      </RungHash>
      <Joint x={layout.centre} y={y} state={state} />
      <RungResult x={layout.width} y={y} state={state} delayMs={number * msPerRung} />
    </g>
  )
}

type RungHashProps = { x: number; y: number; left: boolean; className: string; children: string }

function RungHash({ x, y, left, className, children }: RungHashProps) {
  return (
    <text x={left ? x - 14 : x + 14} y={y} textAnchor={left ? 'end' : 'start'} className={`ladder-text ${className}`}>
      {children}
    </text>
  )
}

/** The node where two hashes are combined: a diamond, or a cross if the check failed here. */
function Joint({ x, y, state }: { x: number; y: number; state: RungState }) {
  if (state === 'broken') return <Cross x={x} y={y} halfSize={5} />
  return (
    <path
      d={`M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z`}
      className={state === 'proved' ? 'fill-seal' : 'fill-ink-1 stroke-line-2'}
    />
  )
}

type OutcomeProps = { x: number; y: number; state: RungState; delayMs: number }

function RungResult({ x, y, state, delayMs }: OutcomeProps) {
  if (state === 'unreached') return null
  if (state === 'broken') return <Cross x={x - 6} y={y} halfSize={4} />
  return (
    <path
      d={`M${x - 10.5} ${y}l3 3l6-6`}
      strokeWidth={1.5}
      className="animate-light stroke-seal"
      style={{ animationDelay: `${delayMs}ms` }}
    />
  )
}

export function Cross({ x, y, halfSize }: { x: number; y: number; halfSize: number }) {
  const d = `M${x - halfSize} ${y - halfSize}l${2 * halfSize} ${2 * halfSize}M${x + halfSize} ${y - halfSize}l${-2 * halfSize} ${2 * halfSize}`
  return <path d={d} strokeWidth={1.75} className="stroke-critical" />
}
