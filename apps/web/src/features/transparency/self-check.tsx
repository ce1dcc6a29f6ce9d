import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { LogConsistency, PublicConfig } from '@tocsin/protocol'
import { Check, CircleHelp, Clock, Cpu, type LucideIcon, OctagonAlert, X } from 'lucide-react'
import { ApiError, call } from '../../api/api.ts'
import { readStoredValue, store } from '../../browser/stored-json.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { describeError } from '../proof/describe-error.ts'
import { type LogCheckResult, type LogSnapshot, type LogStep, logStepIds } from '../proof/proof-task.ts'
import { requireRpcUrl } from '../proof/rpc-url.ts'
import { TrustSection } from '../proof/trust-section.tsx'
import { useProofWorker } from '../proof/use-proof-worker.ts'
import type { TrustSettings } from '../proof/use-trust.ts'
import { formatNodeUsage } from '../proof/verdict.ts'
import { logQueries } from './log-queries.ts'
import { createSeenKey, findRewrite, parseSeenCheckpoint, readNote, type SeenCheckpoint } from './seen-checkpoint.ts'

type SelfCheckProps = { config: PublicConfig | undefined; trustSettings: TrustSettings | null }

/** Verifies the log in this browser against an earlier checkpoint and the chain. */
export function SelfCheck({ config, trustSettings }: SelfCheckProps) {
  return (
    <Panel title="Check it yourself">
      {config && trustSettings ? (
        <LogSelfCheck config={config} choice={trustSettings} />
      ) : (
        <Skeleton className="h-80 w-full" />
      )}
    </Panel>
  )
}

function LogSelfCheck({ config, choice }: { config: PublicConfig; choice: TrustSettings }) {
  const { check, found, failure, isPending, seen } = useLogCheck(config, choice)
  const { data: note, dataUpdatedAt } = useQuery(logQueries.checkpoint)
  // Compare only a checkpoint that was fetched after the stored one: another tab may have stored a
  // checkpoint of a larger log in the meantime.
  const isNewer = seen !== null && dataUpdatedAt > Date.parse(seen.at)
  const rewrite = isNewer && note !== undefined ? findRewrite(seen.note, note) : null
  return (
    <div className="flex h-full flex-col gap-5">
      {seen && note !== undefined && rewrite !== null && <RewriteWarning words={rewrite} notes={[seen.note, note]} />}
      {found?.steps.some(({ status }) => status === 'failed') && rewrite === null && (
        <RewriteWarning words="This browser’s check has failed, see below." notes={[found.seenNote, found.note]} />
      )}
      <ol className="-mt-3 divide-y divide-line-1 border-b border-line-1">
        {logStepIds.map((id, index) => (
          <Step key={id} number={index + 1} id={id} step={found?.steps.find((step) => step.id === id) ?? null} />
        ))}
      </ol>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button size="lg" variant="primary" busy={isPending} onClick={check} className="min-w-60">
          <Cpu aria-hidden size={16} strokeWidth={2.25} />
          {isPending ? 'Checking…' : 'Check in this browser'}
        </Button>
        <p role="status" className="min-h-8 min-w-48 flex-1 content-center text-hint text-2">
          {failure ?? <Outcome found={found} seenAt={seen?.at ?? null} />}
        </p>
      </div>
      <TrustSection choice={choice} config={config} />
    </div>
  )
}

function Outcome({ found, seenAt }: { found: LogCheck | null; seenAt: string | null }) {
  if (found) return <>{formatNodeUsage(found.nodeUsage)}</>
  if (seenAt === null) return <>This browser has not checked the log yet.</>
  return (
    <>
      Last checked here <Time at={seenAt} show="date" mono={false} />.
    </>
  )
}

const stepTexts: Record<LogStep['id'], { name: string; question: string }> = {
  keys: { name: 'Keys', question: 'Is every key authorised by the one before, back to the first signer?' },
  note: { name: 'Checkpoint', question: 'Did the valid key sign the checkpoint?' },
  seen: { name: 'Since your last visit', question: 'Does the log extend the checkpoint that you saw last?' },
  anchor: { name: 'Against the chain', question: 'Does the log begin with the anchored entries?' },
}

const stepDisplays: Record<LogStep['status'], { icon: LucideIcon; word: string; state: string; number: string }> = {
  passed: { icon: Check, word: 'Verified', state: 'text-seal', number: 'border-seal text-1' },
  failed: {
    icon: X,
    word: 'Failed',
    state: 'text-1 [&_svg]:text-critical',
    number: 'border-critical bg-critical/14 text-1',
  },
  pending: { icon: Clock, word: 'Not yet', state: 'text-2', number: 'border-line-2 text-2' },
  unavailable: { icon: CircleHelp, word: 'Cannot check', state: 'text-2', number: 'border-line-2 text-2' },
}

function Step({ number, id, step }: { number: number; id: LogStep['id']; step: LogStep | null }) {
  const { name, question } = stepTexts[id]
  const display = step && stepDisplays[step.status]
  const Icon = display?.icon
  return (
    <li
      className={classNames(
        'flex min-h-17 gap-3 py-3',
        step?.status === 'failed' && '-mx-5 bg-critical/14 px-5 phone:-mx-4 phone:px-4',
      )}
    >
      <span
        aria-hidden
        className={classNames(
          'flex size-6 shrink-0 items-center justify-center border text-data',
          display?.number ?? 'border-line-2 text-2',
        )}
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center justify-between gap-x-3">
          <span className="text-base font-semibold">{name}</span>
          {display && Icon && (
            <span className={classNames('flex items-center gap-1.5 text-base whitespace-nowrap', display.state)}>
              <Icon aria-hidden size={16} strokeWidth={2.25} />
              {display.word}
            </span>
          )}
        </p>
        <p className="mt-0.5 text-hint wrap-anywhere text-2">{step?.reason ?? question}</p>
      </div>
    </li>
  )
}

/** Warns that the log was rewritten, and has a button that copies the evidence. */
function RewriteWarning({ words, notes }: { words: string; notes: (string | null)[] }) {
  const evidence = notes.filter((note) => note !== null).join('\n')
  return (
    <div role="alert" className="flex gap-3 border-2 border-critical bg-critical/14 p-4">
      <OctagonAlert aria-hidden size={20} strokeWidth={2.25} className="shrink-0 text-critical" />
      <div>
        <p className="text-lead font-semibold">This is not the log that you checked</p>
        <p className="mt-1 text-body">
          {words} Don’t rely on this site. Keep the signed checkpoints: they are the evidence.
        </p>
        <CopyButton words text={evidence} label="Copy the evidence" className="mt-3" />
      </div>
    </div>
  )
}

/** Result of a check with the two checkpoint notes that it compared. */
interface LogCheck extends LogCheckResult {
  note: string
  seenNote: string | null
  /** Storage key of the checkpoint of the checked log. */
  seenKey: string
}

/** Verifies the current log against the stored checkpoint and the chain. */
function useLogCheck(config: PublicConfig, choice: TrustSettings) {
  const client = useQueryClient()
  const run = useProofWorker()
  const seenCheckpoint = parseSeenCheckpoint(readStoredValue(createSeenKey(choice.trust)))

  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (): Promise<LogCheck> => {
      const rpcUrl = requireRpcUrl(choice.rpcUrl)
      const trust = choice.pin()
      const seenKey = createSeenKey(trust)
      // Read the stored checkpoint again, because another tab may have replaced it.
      const log = await fetchLog(config, parseSeenCheckpoint(readStoredValue(seenKey)))
      client.setQueryData(logQueries.checkpoint.queryKey, log.note)
      const checkResult = await run({ kind: 'checkLog', log, trust, rpcUrl })
      return { ...checkResult, note: log.note, seenNote: log.seenNote, seenKey }
    },
    onSuccess: ({ steps, checkpoint, note, seenNote, seenKey }) => {
      // Keep the stored checkpoint after a failure: it is the evidence.
      if (!checkpoint || steps.some(({ status }) => status === 'failed')) return
      // During this check, another tab may have stored a checkpoint of a larger log.
      const newestSeen = parseSeenCheckpoint(readStoredValue(seenKey))
      const isOtherNote = newestSeen !== null && newestSeen.note !== seenNote
      if (isOtherNote && (readNote(newestSeen.note)?.size ?? 0) > checkpoint.size) return
      store(seenKey, { note, at: new Date().toISOString() })
    },
  })
  return {
    check: () => mutate(),
    found: data ?? null,
    failure: error && describeError(error, notAnsweringMessage),
    isPending,
    seen: seenCheckpoint,
  }
}

const notAnsweringMessage = 'This site did not respond. Your earlier results are unchanged.'

/** Fetches the anchor before the note, so that the note is never older than the anchor. */
async function fetchLog(config: PublicConfig, seenCheckpoint: SeenCheckpoint | null): Promise<LogSnapshot> {
  const { anchored: anchor } = await call('logHead')
  const [note, { entries: keys }] = await Promise.all([call('logCheckpoint'), call('logKeys')])
  const size = readNote(note)?.size ?? 0
  const seenNote = seenCheckpoint?.note ?? null
  const seenSize = seenNote === null ? null : (readNote(seenNote)?.size ?? null)
  const [sinceSeen, sinceAnchor] = await Promise.all([
    fetchConsistencyProof(seenSize, size),
    fetchConsistencyProof(anchor?.size ?? null, size),
  ])
  return {
    origin: config.log.origin,
    note,
    keys,
    seenNote,
    seenConsistencyProof: sinceSeen,
    anchor,
    anchorConsistencyProof: sinceAnchor,
  }
}

/**
 * Fetches a consistency proof. Returns null if no proof is needed. Also returns null if the server
 * has no such proof; the check then fails.
 */
async function fetchConsistencyProof(from: number | null, to: number): Promise<LogConsistency | null> {
  if (from === null || from < 1 || from >= to) return null
  try {
    return await call('logConsistency', { query: { from, to } })
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return null
    throw error
  }
}
