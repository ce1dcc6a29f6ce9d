import { formatCount } from '../count.ts'
import { formatClock } from '../format-time.ts'
import { shortenHash } from '../short-hex.ts'
import { useTimeStyle } from '../time-style.ts'
import { failureBox, type LadderFailure, type LadderLayout } from './ladder-layout.ts'
import { Cross } from './ladder-rung.tsx'

type LadderFootProps = {
  root: string | null
  treeSize: number | null
  tx: string | null
  chain?: string
  block: { number: number | null; at: string | null } | null
  anchored?: boolean
  failedAt?: LadderFailure
  layout: LadderLayout
}

type Row = { y: number; label: string; value: string | null; note: string; proved: boolean }

/**
 * Root, transaction and block below the Merkle path. Unverified or missing values are drawn hollow
 * and dashed.
 */
export function LadderFoot(props: LadderFootProps) {
  const { root, treeSize, tx, chain, block, anchored = true, failedAt, layout } = props
  const style = useTimeStyle()
  const { centre: x, rootY, transactionY, blockY } = layout
  const isIntact = failedAt === undefined
  // On phones the chain's name would overlap the hash.
  const isNarrow = layout.width < 390
  const isRootProved = isIntact && root !== null
  const isTransactionProved = isIntact && anchored && tx !== null
  const isBlockProved = isIntact && anchored && block !== null
  const isRootBroken = failedAt?.rung === 'root'
  const rows: Row[] = [
    {
      y: rootY,
      label: 'ROOT',
      value: root && shortenHash(root),
      note: treeSize === null ? '' : `of ${formatCount(treeSize)}`,
      proved: isRootProved,
    },
    {
      y: transactionY,
      label: 'TX',
      value: tx && shortenHash(tx),
      note: isNarrow ? '' : (chain ?? ''),
      proved: isTransactionProved,
    },
    {
      y: blockY,
      label: 'BLOCK',
      value: block?.number == null ? null : formatCount(block.number),
      note: block?.at ? formatClock(Date.parse(block.at), style) : '',
      proved: isBlockProved,
    },
  ]
  const absentText = tx === null ? 'not yet anchored' : 'not known'
  const fromY = (layout.rungY.at(-1) ?? layout.leafY) + (failedAt?.rung === layout.rungY.length ? failureBoxEnd : 6)
  return (
    <g>
      {rows.map((row) => (
        <FootRow key={row.label} row={row} absent={absentText} layout={layout} />
      ))}
      <Line d={`M${x} ${fromY}V${rootY - 9}`} proved={isRootProved || isRootBroken} />
      <Line
        d={`M${x} ${isRootBroken ? rootY + failureBoxEnd : rootY + 9}V${transactionY - 5}`}
        proved={isTransactionProved}
      />
      <Line d={`M${x} ${transactionY + 5}V${blockY - 4}`} proved={isBlockProved} />
      {isRootBroken ? <Cross x={x} y={rootY} halfSize={6} /> : <RootNode x={x} y={rootY} proved={isRootProved} />}
      <rect
        x={x - 5}
        y={transactionY - 5}
        width={10}
        height={10}
        className={isTransactionProved ? 'fill-seal' : 'fill-ink-1 stroke-line-2'}
      />
      <path
        d={`M${x} ${blockY - 4}V${blockY + 9}M${x - 5} ${blockY}h10M${x - 9} ${blockY + 3}a9 9 0 0 0 18 0`}
        strokeWidth={1.5}
        className={isBlockProved ? 'stroke-seal' : 'stroke-line-2'}
      />
    </g>
  )
}

/** Distance from a broken node to just below its failure box. */
const failureBoxEnd = failureBox.gap + failureBox.height + 4

function FootRow({ row, absent, layout }: { row: Row; absent: string; layout: LadderLayout }) {
  const hasValue = row.value !== null
  return (
    <>
      <text x={0} y={row.y} className="ladder-text ladder-label fill-text-2">
        {row.label}
      </text>
      <text x={layout.centre + 22} y={row.y} className={`ladder-text ${row.proved ? 'fill-text-1' : 'fill-text-3'}`}>
        {row.value ?? absent}
      </text>
      {hasValue && (
        <text x={layout.width} y={row.y} textAnchor="end" className="ladder-text fill-text-3">
          {row.note}
        </text>
      )}
    </>
  )
}

function Line({ d, proved }: { d: string; proved: boolean }) {
  if (proved) return <path d={d} strokeWidth={1.5} className="stroke-seal" />
  return <path d={d} strokeDasharray="2 3" className="stroke-line-2" />
}

function RootNode({ x, y, proved }: { x: number; y: number; proved: boolean }) {
  if (proved) {
    return (
      <>
        <circle cx={x} cy={y} r={9} strokeWidth={1.5} className="fill-ink-1 stroke-seal" />
        <circle cx={x} cy={y} r={4} className="fill-seal" />
      </>
    )
  }
  return (
    <>
      <circle cx={x} cy={y} r={9} strokeDasharray="4 3" className="stroke-line-2" />
      <circle cx={x} cy={y} r={4} className="stroke-line-2" />
    </>
  )
}
