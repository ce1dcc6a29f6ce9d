import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../queries.ts'
import { MerkleLadder } from '../../ui/identity/merkle-ladder.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { PathJson, PathTable } from './path-table.tsx'
import { type Ladder, ladderOf } from './verdict.ts'
import type { Checked } from './verify-claim.ts'

const views = [
  { value: 'visual', label: 'Visual' },
  { value: 'table', label: 'Table' },
  { value: 'json', label: 'JSON' },
] as const
type View = (typeof views)[number]['value']

type LadderPanelProps = { checked: Checked | null; run: number; className?: string }

/** The path from the alert's leaf to the block, in three forms. */
export function LadderPanel({ checked, run, className = '' }: LadderPanelProps) {
  const [view, setView] = useState<View>('visual')
  const ladder = checked && ladderOf(checked)
  return (
    <Panel
      title="Merkle ladder"
      right={ladder && <Segmented label="Form of the path" value={view} onChange={setView} choices={views} />}
      className={className}
      footer={ladder && checked ? footerWords(ladder, whereWords(checked.by)) : undefined}
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
      <div aria-hidden className="flex flex-1 justify-center gap-12 opacity-70">
        <span className="w-px bg-line-1" />
        <span className="w-px border-l border-dashed border-line-2" />
        <span className="w-px bg-line-1" />
      </div>
      <p className="mt-5 text-base text-2">
        {isChecked
          ? 'There is no way up to show: a check before it failed, or the path does not fit the tree.'
          : 'The way from the alert’s leaf up to the root, its transaction and its block will be drawn here.'}
      </p>
    </div>
  )
}

function whereWords(by: Checked['by']): string {
  if (by.kind === 'server') return 'by the server'
  const { tookMs } = by.asked
  return by.isRunning
    ? 'in this browser'
    : `in this browser, all in ${Math.max(1, Math.round(tookMs)).toLocaleString('en-US')} ms`
}

function footerWords({ rungs, root, failedAt }: Ladder, where: string): string {
  if (failedAt) return `Recomputed ${where}: the root is not the published one`
  if (root === null) return `Recomputed ${where}: not anchored yet`
  return `${rungs.length} ${rungs.length === 1 ? 'rung' : 'rungs'} recomputed ${where}`
}
