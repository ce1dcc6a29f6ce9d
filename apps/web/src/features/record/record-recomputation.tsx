import { useQuery } from '@tanstack/react-query'
import type { PublicConfig } from '@tocsin/protocol'
import { Check, LoaderCircle, OctagonAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Time } from '../../ui/time.tsx'
import type { RecordOrigin } from '../prediction/record-queries.ts'
import { describeError } from '../proof/describe-error.ts'
import { loadRecordSnapshot } from '../proof/load-record-snapshot.ts'
import type { RecomputeResult } from '../proof/proof-task.ts'
import recomputeWorkerUrl from '../proof/recompute-worker.ts?worker&url'
import { parseRpcUrl } from '../proof/rpc-url.ts'
import { useProofWorker } from '../proof/use-proof-worker.ts'
import { type TrustSettings, useTrust } from '../proof/use-trust.ts'
import { formatNodeUsage } from '../proof/verdict.ts'
import { recomputeKey } from './recompute-key.ts'
import { formatInterval, formatLift, formatRatePercent, percent } from './record-texts.ts'

type RecordRecomputationProps = {
  config: PublicConfig
  origin: RecordOrigin
  /** Number of the run. Part of the query key, so that each run loads everything again. */
  run: number
}

/** Recomputes the last 30 days of the record in this browser. Starts when it is first rendered. */
export function RecordRecomputation({ config, origin, run }: RecordRecomputationProps) {
  const choice = useTrust(config)
  return choice && <RecordRecomputationRun choice={choice} origin={origin} run={run} />
}

type RecordRecomputationRunProps = Omit<RecordRecomputationProps, 'config'> & { choice: TrustSettings }

function RecordRecomputationRun({ choice, origin, run }: RecordRecomputationRunProps) {
  const runTask = useProofWorker(recomputeWorkerUrl)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...recomputeKey, origin, run],
    queryFn: async ({ signal }) => {
      const node = parseRpcUrl(choice.rpcUrl)
      const trust = choice.pin()
      const record = await loadRecordSnapshot((name, input) => call(name, { ...input, signal }), origin)
      if (!record) return null
      const result = await runTask({
        kind: 'recomputeRecord',
        record,
        trust,
        rpcUrl: 'url' in node ? node.url : '',
      })
      return { result, since: record.siteRecord.recent.since }
    },
    gcTime: 0,
  })
  return (
    <div role="status" className="mt-4 border-t border-line-1 pt-4 text-base">
      {isFetching ? (
        <p className="flex items-center gap-2 text-2">
          <LoaderCircle aria-hidden size={16} strokeWidth={2.25} className="spin shrink-0" />
          Reading 30 days of entries and messages, then measuring every prediction again…
        </p>
      ) : error ? (
        <Failure onRetry={() => void refetch()}>{describeError(error, 'The record could not be read.')}</Failure>
      ) : data ? (
        <RecordRecomputationView result={data.result} since={data.since} />
      ) : (
        <p className="text-2">The record has no public alert of the last 30 days.</p>
      )}
    </div>
  )
}

function Failure({ onRetry, children }: { onRetry: () => void; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      {children}
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Presents a finished recomputation. */
export function RecordRecomputationView({ result, since }: { result: RecomputeResult; since: string }) {
  const { difference, figures, entryCount, outcomeCount, unchecked, nodeUsage } = result
  return (
    <>
      {difference ? (
        <div role="alert" className="flex gap-3 border-2 border-critical bg-critical/14 p-4">
          <OctagonAlert aria-hidden size={20} strokeWidth={2.25} className="shrink-0 text-critical" />
          <p className="min-w-0 wrap-anywhere">
            <span className="block text-lead font-semibold">The recomputed record differs</span>
            {difference}.
          </p>
        </div>
      ) : (
        <p className="flex items-center gap-2 text-lead font-semibold text-seal">
          <Check aria-hidden size={20} strokeWidth={2.25} />
          The same figures as this site
        </p>
      )}
      <KeyValueList className="mt-2">
        <KeyValue label="Since">
          <Time at={since} show="date" />
        </KeyValue>
        <KeyValue label="Entries checked">{formatCount(entryCount)}</KeyValue>
        {figures && (
          <>
            <KeyValue label="Outcomes measured again">{formatCount(outcomeCount)}</KeyValue>
            <KeyValue label="Strict rate, computed here">
              {`${formatRatePercent(figures.strict)}, ${formatCount(figures.strict.count)} of ${formatCount(figures.strict.n)}`}
            </KeyValue>
            <KeyValue label="95% interval">
              {formatInterval(figures.interval && [figures.interval[0], figures.interval[1]])}
            </KeyValue>
            <KeyValue label="Times of outcomes not proven">{formatCount(figures.timesNotProven)}</KeyValue>
            <KeyValue label="Rate at random minutes, computed here">
              {figures.baseRate === null ? '—' : percent(figures.baseRate)}
            </KeyValue>
            <KeyValue label="Lift, computed here">{formatLift(figures.lift)}</KeyValue>
          </>
        )}
      </KeyValueList>
      <p className="mt-3 text-label text-2">Not checked here</p>
      <ul className="mt-1 flex list-[square] flex-col gap-1 pl-4 text-hint text-2 marker:text-3">
        {unchecked.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p className="mt-2 text-hint text-2">{formatNodeUsage(nodeUsage)}</p>
    </>
  )
}
