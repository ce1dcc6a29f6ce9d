import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { MerkleLadder } from '../../ui/identity/merkle-ladder.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { shortenHash } from '../../ui/short-hex.ts'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { createLadder, formatMilliseconds, type Ladder } from './verdict.ts'
import type { CheckedClaim } from './verify-claim.ts'

const views = [
  { value: 'visual', label: 'Visual' },
  { value: 'table', label: 'Table' },
  { value: 'json', label: 'JSON' },
] as const
type View = (typeof views)[number]['value']

type LadderPanelProps = { checked: CheckedClaim | null; run: number; className?: string }

/** The Merkle path from the alert's leaf to the block, as a drawing, table or JSON. */
export function LadderPanel({ checked, run, className = '' }: LadderPanelProps) {
  const [view, setView] = useState<View>('visual')
  const ladder = checked && createLadder(checked)
  return (
    <Panel
      title="Merkle path"
      actions={ladder && <Segmented label="Form of the path" value={view} onChange={setView} choices={views} />}
      className={className}
      footer={ladder && checked ? describeResult(ladder, describeLocation(checked.checker)) : undefined}
    >
      {ladder && view === 'visual' && <VisualLadder ladder={ladder} run={run} />}
      {ladder && view === 'table' && <PathTable ladder={ladder} />}
      {ladder && view === 'json' && <PathJson ladder={ladder} />}
      {!ladder && <NoLadder isChecked={checked !== null} />}
    </Panel>
  )
}

function VisualLadder({ ladder, run }: { ladder: Ladder; run: number }) {
  const { data: config } = useQuery(queries.config)
  const chain = config?.anchor.chainName
  return <MerkleLadder {...ladder} {...(chain === undefined ? {} : { chain })} run={run} />
}

function NoLadder({ isChecked }: { isChecked: boolean }) {
  return (
    <div className="flex h-full min-h-60 flex-col">
      <GhostLadder />
      <p className="mt-5 text-base text-2">
        {isChecked
          ? 'There is no path to show: an earlier check failed, or the path does not fit the tree.'
          : 'The path from the alert’s leaf to the root, its transaction and its block will be drawn here.'}
      </p>
    </div>
  )
}

/** Side of the sibling of each rung: -1 is left, 1 is right. */
const ghostSiblings = [-1, -1, 1, 1, -1, -1, -1]
const placeholderSizes = { centre: 75, arm: 60, pitch: 40 }

/** Placeholder that is shown while there is no path to draw. */
function GhostLadder() {
  const { centre, arm, pitch } = placeholderSizes
  const rungs = ghostSiblings.map((side, index) => ({ y: 10 + pitch * (index + 1), side }))
  const rootY = 10 + pitch * (rungs.length + 1)
  const blockY = rootY + pitch * 2
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${centre * 2} ${blockY + 14}`}
      fill="none"
      className="mx-auto min-h-0 w-38 flex-1 stroke-line-2 opacity-60 phone:max-h-75"
    >
      <path d={`M${centre} 10V${blockY - 4}`} strokeDasharray="2 3" />
      <path d={`M${centre - arm} 38V${rootY - 28}M${centre + arm} 38V${rootY - 28}`} className="stroke-line-1" />
      <rect x={centre - 6} y={4} width={12} height={12} className="fill-ink-1" />
      {rungs.map(({ y, side }) => (
        <g key={y} className="fill-ink-1">
          <path d={`M${centre - arm} ${y}H${centre + arm}`} className="stroke-line-1" />
          <rect x={centre + arm * side - 4} y={y - 4} width={8} height={8} />
          <path d={`M${centre} ${y - 5}l5 5-5 5-5-5z`} />
        </g>
      ))}
      <circle cx={centre} cy={rootY} r={9} className="fill-ink-1" />
      <rect x={centre - 5} y={rootY + pitch - 5} width={10} height={10} className="fill-ink-1" />
      <path
        d={`M${centre} ${blockY - 4}V${blockY + 12}M${centre - 5} ${blockY}h10M${centre - 9} ${blockY + 3}a9 9 0 0 0 18 0`}
      />
    </svg>
  )
}

function describeLocation(by: CheckedClaim['checker']): string {
  if (by.kind === 'server') return 'by the server'
  const { tookMs } = by.nodeUsage
  return by.isRunning ? 'in this browser' : `in this browser, all in ${formatMilliseconds(tookMs)}`
}

function describeResult({ rungs, root, failedAt }: Ladder, locationText: string): string {
  if (failedAt) return `Recomputed ${locationText}: the root is not the published one`
  if (root === null) return `Recomputed ${locationText}: not anchored yet`
  return `${rungs.length} ${rungs.length === 1 ? 'rung' : 'rungs'} recomputed ${locationText}`
}

function PathTable({ ladder }: { ladder: Ladder }) {
  const { leaf, rungs, root, failedAt } = ladder
  return (
    <div className="-mx-5 phone:-mx-4">
      <Table caption="Merkle path from the leaf to the root">
        <thead>
          <tr>
            <Th>Rung</Th>
            <Th>Sibling</Th>
            <Th>Side</Th>
            <Th>Hash</Th>
          </tr>
        </thead>
        <tbody>
          <PathRow position="Leaf" hash={leaf.hash} />
          {rungs.map(({ level, sibling, side, hash }) => (
            <PathRow key={level} position={String(level)} sibling={sibling} side={side} hash={hash} />
          ))}
          {failedAt && <PathRow position="Recomputed" hash={failedAt.recomputed} />}
          {root !== null && <PathRow position={failedAt ? 'Published' : 'Root'} hash={root} />}
        </tbody>
      </Table>
    </div>
  )
}

type LineProps = { position: string; sibling?: string; side?: string; hash: string }

function PathRow({ position, sibling, side, hash }: LineProps) {
  return (
    <Tr compact>
      <Td>{position}</Td>
      <Td mono title={sibling} className="text-2">
        {sibling && shortenHash(sibling, 5)}
      </Td>
      <Td className="text-2">{side}</Td>
      <Td mono title={hash}>
        {shortenHash(hash, 5)}
      </Td>
    </Tr>
  )
}

function PathJson({ ladder }: { ladder: Ladder }) {
  const { leaf, rungs, root, treeSize, tx, block } = ladder
  const text = JSON.stringify({ leaf, rungs, root, treeSize, transaction: tx, block }, null, 2)
  return (
    <div className="flex flex-col gap-3">
      <TextareaField label="Merkle path as JSON" value={text} readOnly rows={18} mono spellCheck={false} />
      <CopyButton words text={text} label="Copy the Merkle path as JSON" className="self-start" />
    </div>
  )
}
