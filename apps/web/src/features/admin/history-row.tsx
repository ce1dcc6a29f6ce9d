import type { AdminAlert } from '@tocsin/protocol'
import { memo, type ReactNode } from 'react'
import { PriorityGlyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { Time } from '../../ui/time.tsx'
import { AlertSeal } from '../alerts/alert-seal.tsx'
import { formatConfidence } from '../alerts/alert-words.ts'
import { BroadcastButton } from './broadcast-button.tsx'
import { logNumber } from './history-search.ts'

/** One alert of the log, and how far it has come. */
export const HistoryRow = memo(function HistoryRow({ alert }: { alert: AdminAlert }) {
  const { asset, priority, summary, confidence, regime, anomalyType, broadcastAt } = alert
  return (
    <li className="animate-row border-t border-line-1 px-5 py-3 text-base first:border-t-0 phone:px-4">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <PriorityGlyph priority={priority} />
        <span className="text-body font-semibold wrap-anywhere">{asset}</span>
        <span className="text-data text-2">{logNumber(alert.logIndex)}</span>
        <span aria-hidden className="text-2">
          {priorityLooks[priority].word}
        </span>
        <span className="ml-auto flex items-center gap-3">
          <Time at={alert.createdAt} className="text-data text-2" />
          <BroadcastButton id={alert.id} logIndex={alert.logIndex} />
        </span>
      </div>
      <p dir="auto" className="mt-1.5 wrap-anywhere">
        {summary}
      </p>
      <div className="mt-1 flex min-h-5 flex-wrap items-center gap-x-5 gap-y-1 text-hint">
        <Fact name="Confidence">
          <span className="text-data font-medium">{formatConfidence(confidence)}</span>
        </Fact>
        {regime !== '' && <Fact name="Regime">{regime}</Fact>}
        {anomalyType !== '' && <Fact name="Type">{anomalyType}</Fact>}
        <Fact name={broadcastAt === null ? 'Not broadcast' : 'Broadcast'}>
          {broadcastAt !== null && <Time at={broadcastAt} className="text-data" />}
        </Fact>
        <span className="ml-auto phone:ml-0">
          <AlertSeal alert={alert} size={20} />
        </span>
      </div>
    </li>
  )
})

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span>
      <span className="text-2">{name}</span> {children}
    </span>
  )
}
