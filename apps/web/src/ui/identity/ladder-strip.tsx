import { classNames } from '../class-names.ts'
import { formatCount, formatCountOf } from '../count.ts'
import type { LadderRung } from './ladder-layout.ts'

const pitch = 20
const middleY = 14
const siblingOffset = 9

type LadderStripProps = {
  rungs: readonly LadderRung[]
  index: number
  treeSize: number | null
  /** True if this browser has verified the proof. Otherwise the path is dashed and hollow. */
  isProved: boolean
  className?: string
}

/**
 * A horizontal Merkle ladder without hashes: leaf, one sibling per rung, root, transaction, block.
 */
export function LadderStrip({ rungs, index, treeSize, isProved, className }: LadderStripProps) {
  const getX = (position: number) => 8 + position * pitch
  const rootX = getX(rungs.length + 1)
  const txX = getX(rungs.length + 2)
  const blockX = getX(rungs.length + 3)
  const provedStroke = isProved ? 'stroke-seal' : 'stroke-line-2'
  return (
    <svg
      role="img"
      aria-label={describePath(rungs.length, index, treeSize)}
      viewBox={`0 0 ${blockX + 10} ${2 * middleY}`}
      width={blockX + 10}
      height={2 * middleY}
      fill="none"
      className={classNames('block h-auto max-w-full', className)}
    >
      <path
        d={`M${getX(0)} ${middleY}H${blockX}`}
        strokeWidth={1.25}
        className={provedStroke}
        {...(isProved ? {} : { strokeDasharray: '2 3' })}
      />
      <rect x={getX(0) - 4} y={middleY - 4} width={8} height={8} className="fill-seal" />
      {rungs.map(({ level, side }) => (
        <Step key={level} x={getX(level)} up={side === 'left'} />
      ))}
      <circle cx={rootX} cy={middleY} r={5} strokeWidth={1.25} className={classNames('fill-ink-0', provedStroke)} />
      {isProved && <circle cx={rootX} cy={middleY} r={2} className="fill-seal" />}
      <rect
        x={txX - 3.5}
        y={middleY - 3.5}
        width={7}
        height={7}
        className={isProved ? 'fill-seal' : 'fill-ink-0 stroke-line-2'}
      />
      <path
        d={`M${blockX} ${middleY - 6}v12M${blockX - 4} ${middleY - 2}h8M${blockX - 6} ${middleY + 1}a6 6 0 0 0 12 0`}
        strokeWidth={1.25}
        className={provedStroke}
      />
    </svg>
  )
}

function Step({ x, up }: { x: number; up: boolean }) {
  const siblingY = up ? middleY - siblingOffset : middleY + siblingOffset
  return (
    <>
      <path d={`M${x} ${siblingY}V${middleY}`} className="stroke-line-2" />
      <rect x={x - 2.5} y={siblingY - 2.5} width={5} height={5} className="fill-ink-0 stroke-text-3" />
      <path d={`M${x} ${middleY - 3.5}l3.5 3.5l-3.5 3.5l-3.5-3.5Z`} className="fill-seal" />
    </>
  )
}

function describePath(rungs: number, index: number, treeSize: number | null): string {
  const path = `Merkle path of entry ${formatCount(index)}`
  if (treeSize === null) return `${path}: not yet anchored`
  const entries = formatCountOf(treeSize, 'entry', 'entries')
  const rungsText = `${formatCountOf(rungs, 'rung')} to the root of ${entries}`
  return `${path}: ${rungsText}, its transaction and its block`
}
