import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../queries.ts'
import { proofTexts } from '../../texts/proof.tsx'
import { MerkleLadder } from '../../ui/identity/merkle-ladder.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { PathJson, PathTable } from './path-table.tsx'
import { type Ladder, ladderOf } from './verdict.ts'
import type { Checked } from './verify-claim.ts'

const texts = proofTexts.ladderPanel

const views = [
  { value: 'visual', label: texts.visual },
  { value: 'table', label: texts.table },
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
      title={texts.merkleLadder}
      right={ladder && <Segmented label={texts.formOfThePath} value={view} onChange={setView} choices={views} />}
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
      <p className="mt-5 text-base text-2">{isChecked ? texts.thereIsNoWayUp : texts.wayFromTheAlertsLeaf}</p>
    </div>
  )
}

function whereWords(by: Checked['by']): string {
  if (by.kind === 'server') return texts.byTheServer
  const { tookMs } = by.asked
  return by.isRunning ? texts.inThisBrowser : texts.inThisBrowserAll({ tookMs: Math.max(1, Math.round(tookMs)) })
}

function footerWords({ rungs, root, failedAt }: Ladder, where: string): string {
  if (failedAt) return texts.isNotThePublishedRoot({ where })
  if (root === null) return texts.isNotAnchoredYet({ where })
  return texts.rungRecomputed({ count: rungs.length, where })
}
