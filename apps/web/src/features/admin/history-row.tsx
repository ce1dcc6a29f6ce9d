import type { PagedAlert } from '@tocsin/protocol'
import { memo, type ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Time } from '../../ui/time.tsx'
import { formatConfidence } from '../alert/alert-words.ts'
import { RelationNotes, supersededLook } from '../alert/relations.tsx'
import { AlertSeal } from '../alerts/alert-seal.tsx'
import { logNumber } from './alert-number.ts'
import { BroadcastButton } from './broadcast-button.tsx'
import { ReviseButtons } from './revise-buttons.tsx'

/** One alert of the log with its broadcast and proof state. */
export const HistoryRow = memo(function HistoryRow({ alert }: { alert: PagedAlert }) {
  const { asset, priority, summary, confidence, regime, anomalyType, broadcastAt, broadcasts, signal } = alert
  return (
    <li className="animate-row border-t border-line-1 px-5 py-3 text-base first:border-t-0 phone:px-4">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <PriorityGlyph priority={priority} />
        <span className="text-body font-semibold wrap-anywhere">{asset}</span>
        <span className="text-data text-2">{logNumber(alert.logIndex)}</span>
        <span aria-hidden className="text-2">
          {priorityLooks[priority].word}
        </span>
        <Time at={alert.createdAt} className="ml-auto text-data text-2" />
        <span className="flex items-center gap-1 max-[374px]:gap-x-0 phone:-ml-2 phone:grow phone:basis-full phone:flex-wrap phone:*:last:ml-auto">
          <ReviseButtons alert={alert} />
          <BroadcastButton alert={alert} />
        </span>
      </div>
      <RelationNotes alert={alert} className="mt-1.5" />
      <p dir="auto" className={classNames('mt-1.5 wrap-anywhere', alert.supersededBy && supersededLook)}>
        {summary}
      </p>
      <div className="mt-1 flex min-h-5 flex-wrap items-center gap-x-5 gap-y-1 text-hint">
        <Fact name="Confidence">
          <span className="text-data font-medium">{formatConfidence(confidence)}</span>
        </Fact>
        {regime !== '' && <Fact name="Regime">{regime}</Fact>}
        {anomalyType !== '' && <Fact name="Type">{anomalyType}</Fact>}
        <Broadcasts first={broadcastAt} {...broadcasts} />
        {signal !== null && signal.repeats > 0 && (
          <Fact
            name={
              signal.repeats === 1 ? 'Repeated once' : `Repeated ${signal.repeats.toLocaleString(numberLocale)} times`
            }
          >
            {signal.lastRepeatAt !== null && (
              <>
                <span className="text-2">last</span> <Time at={signal.lastRepeatAt} className="text-data" />
              </>
            )}
          </Fact>
        )}
        {signal?.isLate && (
          <Fact name="Received late">
            <span className="text-2">seen</span> <Time at={signal.observedAt} className="text-data" />
          </Fact>
        )}
        <span className="ml-auto phone:ml-0">
          <AlertSeal alert={alert} size={20} />
        </span>
      </div>
    </li>
  )
})

/** When the alert was broadcast; after several times, how often and when last. */
function Broadcasts({ first, count, lastAt }: PagedAlert['broadcasts'] & { first: string | null }) {
  if (first === null) return <Fact name="Not broadcast">{null}</Fact>
  const isRepeated = count > 1 && lastAt !== null
  return (
    <Fact name={isRepeated ? `Broadcast ${timesWords(count)}` : 'Broadcast'}>
      {isRepeated && <span className="text-2">last </span>}
      <Time at={isRepeated ? lastAt : first} className="text-data" />
    </Fact>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span>
      <span className="text-2">{name}</span> {children}
    </span>
  )
}

function timesWords(count: number): string {
  return count === 1 ? 'once' : `${count.toLocaleString(numberLocale)} times`
}
