import { formatCount } from '../count.ts'
import { formatClock, getZoneName } from '../format-time.ts'
import { useIsPhone } from '../media-query.ts'
import { shortenHash } from '../short-hex.ts'
import { type TimeStyle, useTimeStyle } from '../time-style.ts'
import { LadderFoot } from './ladder-foot.tsx'
import {
  failureBox,
  getRungState,
  type LadderFailure,
  type LadderLayout,
  type LadderRung,
  layOutLadder,
} from './ladder-layout.ts'
import { Rung } from './ladder-rung.tsx'

export type MerkleLadderProps = {
  leaf: { hash: string; index: number }
  rungs: readonly LadderRung[]
  root: string | null
  treeSize: number | null
  /** The anchoring transaction. */
  tx: string | null
  /** Name of the chain that the root is anchored on. */
  chain?: string
  block: { number: number | null; at: string | null } | null
  /**
   * False while the transaction and the block are claimed but not verified. They are then drawn
   * hollow.
   */
  anchored?: boolean
  failedAt?: LadderFailure
  /** Change it to replay the animation of the rungs. */
  run?: number
}

/**
 * The Merkle path from an alert's leaf to the block that anchors its root. The table view has the
 * same data as text.
 */
export function MerkleLadder(props: MerkleLadderProps) {
  const { leaf, rungs, failedAt, run = 0 } = props
  const isPhone = useIsPhone()
  const style = useTimeStyle()
  const layout = layOutLadder(rungs.length, failedAt?.rung, isPhone)
  return (
    <svg
      key={run}
      role="img"
      aria-label={describeLadder(props, style)}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      width={layout.width}
      height={layout.height}
      fill="none"
      className="mx-auto block max-w-full font-mono text-[12px]"
    >
      <Rails layout={layout} failedAt={failedAt} />
      <text x={0} y={layout.leafY} className="ladder-text ladder-label fill-text-2">
        LEAF
      </text>
      <rect x={layout.centre - 6} y={layout.leafY - 6} width={12} height={12} className="fill-seal" />
      <text x={layout.centre + 22} y={layout.leafY} className="ladder-text fill-text-1">
        {shortenHash(leaf.hash)}
      </text>
      <text x={layout.width} y={layout.leafY} textAnchor="end" className="ladder-text fill-text-3">
        #{formatCount(leaf.index)}
      </text>
      {rungs.map((rung, index) => (
        <Rung
          key={rung.level}
          rung={rung}
          number={index + 1}
          inputHash={rungs[index - 1]?.hash ?? leaf.hash}
          fromY={index === 0 ? layout.leafY : (layout.rungY[index - 1] ?? layout.leafY)}
          state={getRungState(index + 1, failedAt?.rung)}
          isAfterFailureBox={failedAt?.rung === index}
          layout={layout}
        />
      ))}
      <LadderFoot {...props} layout={layout} />
      {failedAt && <FailureBox failure={failedAt} layout={layout} phone={isPhone} />}
    </svg>
  )
}

function describeLadder({ leaf, rungs, root, block, failedAt }: MerkleLadderProps, style: TimeStyle): string {
  const path = `Merkle path of leaf ${leaf.index}, ${rungs.length} rungs`
  if (failedAt?.rung === 'root') return `${path}; stops at the root`
  if (failedAt) return `${path}; stops at rung ${failedAt.rung}`
  if (root === null) return `${path}; not yet anchored`
  const end = `${path}; ends in root ${shortenHash(root)}`
  if (block?.number == null) return end
  const atMs = block.at ? Date.parse(block.at) : null
  const time = atMs === null ? '' : ` at ${formatClock(atMs, style)} ${getZoneName(atMs, style)}`
  return `${end}, in block ${block.number}${time}`
}

function Rails({ layout, failedAt }: { layout: LadderLayout; failedAt: LadderFailure | undefined }) {
  const firstRungY = layout.rungY[0]
  const lastRungY = layout.rungY.at(-1)
  if (firstRungY === undefined || lastRungY === undefined) return null
  const top = firstRungY - 12
  const bottom = lastRungY + 12
  // Draw the rails without a break: the failure box is drawn over them with its own background.
  const d = [layout.left, layout.right].map((x) => `M${x} ${top}V${bottom}`).join('')
  return <path d={d} className="stroke-line-1" shapeRendering={failedAt ? 'auto' : 'crispEdges'} />
}

type FailureBoxProps = { failure: LadderFailure; layout: LadderLayout; phone: boolean }

function FailureBox({ failure, layout, phone }: FailureBoxProps) {
  const y = layout.boxY
  if (y === null) return null
  const digits = phone ? 8 : 12
  const renderLine = (dy: number, label: string, hash: string, className: string) => (
    <>
      <text x={12} y={y + dy} className={`ladder-text ladder-label ${className}`}>
        {label}
      </text>
      <text x={layout.width - 12} y={y + dy} textAnchor="end" className="ladder-text fill-text-1">
        {shortenHash(hash, digits)}
      </text>
    </>
  )
  return (
    <g>
      <path d={`M${layout.centre} ${y - 7}V${y}`} className="stroke-critical" strokeWidth={1.75} />
      <rect
        x={0.5}
        y={y + 0.5}
        width={layout.width - 1}
        height={failureBox.height - 1}
        className="fill-[color-mix(in_oklab,var(--color-critical)_8%,var(--color-ink-1))] stroke-critical"
      />
      {renderLine(20, 'RECOMPUTED', failure.recomputed, 'fill-text-1')}
      {renderLine(41, 'PUBLISHED', failure.published, 'fill-text-2')}
    </g>
  )
}
