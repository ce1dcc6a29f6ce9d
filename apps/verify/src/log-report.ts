import type { AnchoredEvent, LogCheck, Rpc, UnprovenTime, UnprovenTimes } from '@tocsin/proof'
import type { AnchorState } from './chain-anchors.ts'
import type { CheckPool } from './check-pool.ts'
import type { Note } from './checkpoint-file.ts'
import type { LogSource } from './log-source.ts'
import { type CheckStopped, type LogStepId, listSteps } from './log-steps.ts'
import type { Mirror } from './mirror-file.ts'
import type { LogOptions } from './options.ts'
import type { Outcome, Step } from './outcome.ts'
import { formatEntryCount, formatNumber, type Progress } from './progress.ts'
import { describeUnpinned, isPinned, type Trust, unpinnedNote } from './trust.ts'

/** State of a running check. */
export interface Run {
  options: LogOptions
  progress: Progress
  server: LogSource
  trust: Trust
  rpc: Rpc
  check: LogCheck
  /** Null for a short log, which is checked without threads. */
  pool: CheckPool | null
  /** The checkpoint that the user has stored from an earlier run. */
  kept: Note | null
  /** Content and signatures of entries before this index count as checked in an earlier run. */
  sinceSize: number
  steps: Map<LogStepId, Pick<Step, 'status' | 'reason'>>
  anchors: { count: number; newest: AnchoredEvent | null; fromBlock: number }
  /**
   * Entries without content: number and first one from `sinceSize` on, and the indexes of all.
   */
  withheld: { count: number; first: number | null; indexes: Set<number> }
  /** Indexes of entries whose target was not compared, because its content is withheld. */
  unsettled: number[]
  size: number | null
  mirror: Mirror | null
  /** Text lines about the track record. `facts` contains its figures. */
  notes: string[]
  facts: Outcome['facts']
}

/** Reports the steps `entries` and `roots` after all entries and anchors were checked. */
export function reportSteps(
  { check, anchors, steps, sinceSize, withheld }: Run,
  state: AnchorState,
  size: number,
): void {
  const checkedCount = size - Math.min(sinceSize, size) - withheld.count
  const parts = [`${formatNumber(size)} in order, content and signature of ${formatNumber(checkedCount)} checked`]
  if (withheld.count > 0) parts.push(`content of ${formatNumber(withheld.count)} still withheld`)
  steps.set('entries', { status: 'passed', reason: parts.join(', ') })
  const unanchoredCount = size - state.latestSize
  const unanchoredText = unanchoredCount > 0 ? `, ${formatEntryCount(unanchoredCount)} beyond the newest` : ''
  steps.set(
    'roots',
    anchors.count > 0
      ? {
          status: 'passed',
          reason: `All ${formatNumber(anchors.count)} anchors on the chain match this log${unanchoredText}`,
        }
      : { status: 'pending', reason: 'There is no anchor on the chain yet' },
  )
  if (check.size !== size) throw new Error('The log check lost entries')
}

/** Creates the outcome of a run that completed or was stopped. */
export function createOutcome(run: Run, stop: CheckStopped | null): Outcome {
  const { server, check, trust, anchors, withheld, sinceSize, steps, size, options } = run
  const listedSteps = listSteps(steps, options.trackRecord)
  const verdict = decideVerdict(run, stop, listedSteps)
  const anchoredSize = anchors.newest?.size ?? 0
  const { unprovenTimes, unprovenOutcomes, unprovenOthers } = check
  const intactText = `${formatEntryCount(anchoredSize)} up to the newest anchor: none edited, none missing, none moved.`
  const outcomesText = `The time of ${formatOutcomeCount(unprovenOutcomes.count)} is not proven.`
  const unpinnedTexts = isPinned(options) ? [] : [unpinnedNote]
  const conclusions: Record<Outcome['verdict'], string> = {
    verified: intactText,
    failed: `${stop && listedSteps.find(({ id }) => id === stop.step)?.title}: ${stop?.message}.`,
    'not-anchored': 'All checks so far succeeded, but the log has no anchor on the chain yet.',
    unavailable: `${stop?.message}.`,
    unpinned: describeUnpinned(true),
    'time-not-proven': [
      `${intactText} The time of issue of ${formatEntryCount(unprovenTimes.count)} is not proven.`,
      ...(unprovenOutcomes.count > 0 ? [outcomesText] : []),
      ...unpinnedTexts,
    ].join(' '),
    'outcome-time-not-proven': [intactText, outcomesText, ...unpinnedTexts].join(' '),
    usage: '',
  }
  return {
    verdict,
    subject: `The log of ${server.name}`,
    steps: listedSteps,
    failure: stop && { step: stop.step, index: stop.index, reason: stop.message },
    trusted: trust.trusted,
    conclusion: conclusions[verdict],
    notes: [...run.notes, ...listNotes(run, stop)],
    facts: {
      size,
      entriesRead: check.size,
      anchoredSize,
      anchors: anchors.count,
      newestAnchorTransaction: anchors.newest?.transactionHash ?? null,
      newestAnchorAt: anchors.newest?.blockAt ?? null,
      searchedFromBlock: anchors.fromBlock,
      ...check.counts,
      withheld: withheld.count,
      timesNotProven: unprovenTimes.count,
      outcomeTimesNotProven: unprovenOutcomes.count,
      otherTimesNotProven: unprovenOthers.count,
      firstWithheld: withheld.first,
      skippedBefore: Math.min(sinceSize, check.size),
      ...run.facts,
    },
  }
}

function decideVerdict({ check, options }: Run, stop: CheckStopped | null, steps: readonly Step[]): Outcome['verdict'] {
  if (stop) return stop.status === 'failed' ? 'failed' : 'unavailable'
  if (steps.some(({ status }) => status === 'pending')) return 'not-anchored'
  if (check.unprovenTimes.count > 0) return 'time-not-proven'
  if (check.unprovenOutcomes.count > 0) return 'outcome-time-not-proven'
  return isPinned(options) ? 'verified' : 'unpinned'
}

function formatOutcomeCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'outcome' : 'outcomes'}`
}

/** Maximum number of unproven times listed in the notes. */
const MAX_LISTED = 10

function describeTimes({ count, unproven }: UnprovenTimes, noun: string): string[] {
  const listedTimes = unproven.slice(0, MAX_LISTED).map((entry) => `${noun} ${describeTime(entry)}`)
  return count > listedTimes.length
    ? [...listedTimes, `And ${formatNumber(count - listedTimes.length)} more.`]
    : listedTimes
}

function describeTime({ index, createdAt, reason, blockAt }: UnprovenTime): string {
  return reason === 'anchored-late'
    ? `${index} says ${createdAt}, but was anchored only at ${blockAt}.`
    : `${index} says ${createdAt}, but the anchor of ${blockAt} does not cover it.`
}

/**
 * Describes unproven times of key lists, heartbeats and successions. No verdict and no figure
 * depends on these times.
 */
function describeOtherTimes({ count, unproven: [first] }: UnprovenTimes): string[] {
  if (!first) return []
  const entries = `${formatEntryCount(count)} (key lists, heartbeats or successions)`
  return [`The time of ${entries} is not proven; the first is entry ${first.index}.`]
}

function listNotes({ withheld, unsettled, sinceSize, size, check, options }: Run, stop: CheckStopped | null): string[] {
  const notes = [
    ...describeTimes(check.unprovenTimes, 'Entry'),
    ...describeTimes(check.unprovenOutcomes, 'Outcome'),
    ...describeOtherTimes(check.unprovenOthers),
  ]
  if (withheld.count > 0) {
    notes.push(
      `The content of ${formatEntryCount(withheld.count)}, the first of them ${withheld.first}, is not public yet: ` +
        'the hashes were checked, the content was not.',
    )
  }
  if (unsettled.length > 0) {
    notes.push(`The targets of entries ${unsettled.slice(0, 10).join(', ')} are not public yet and were not compared.`)
  }
  const skippedCount = Math.min(sinceSize, check.size)
  if (skippedCount > 0) {
    notes.push(
      `Content and signatures of the first ${formatEntryCount(skippedCount)} count as checked before; the hashes were computed.`,
    )
  }
  if (!stop && options.saveCheckpointFile !== null && size !== null) {
    const nextOptions = `--checkpoint ${options.saveCheckpointFile} --since-size ${Math.max(sinceSize, withheld.first ?? size)}`
    notes.push(`The checkpoint is kept. To go on from here next time: ${nextOptions}`)
  }
  if (options.fromBlock !== null) notes.push(`Anchors before block ${options.fromBlock} were not looked for.`)
  return notes
}
