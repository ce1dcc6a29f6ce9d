import type { AnchoredEvent, LogCheck, Rpc, UnprovenTime, UnprovenTimes } from '@tocsin/proof'
import type { AnchorState } from './chain-anchors.ts'
import type { CheckPool } from './check-pool.ts'
import type { Note } from './checkpoint-file.ts'
import type { LogSource } from './log-source.ts'
import { type CheckStopped, type LogStepId, listSteps } from './log-steps.ts'
import type { Mirror } from './mirror-file.ts'
import type { LogOptions } from './options.ts'
import type { Outcome, Step } from './outcome.ts'
import { entryCount, number, type Progress } from './progress.ts'
import { describeUnpinned, isPinned, type Trust } from './trust.ts'

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
  /** Content and signatures before this entry count as checked. */
  sinceSize: number
  steps: Map<LogStepId, Pick<Step, 'status' | 'reason'>>
  anchors: { count: number; newest: AnchoredEvent | null; fromBlock: number }
  withheld: { count: number; first: number | null }
  /** Indexes of corrections whose target could not be read again. */
  unsettled: number[]
  size: number | null
  mirror: Mirror | null
  /** Lines and figures of the track record. */
  notes: string[]
  facts: Outcome['facts']
}

/** Reports the steps `entries` and `roots` after both passed. */
export function reportSteps(
  { check, anchors, steps, sinceSize, withheld }: Run,
  state: AnchorState,
  size: number,
): void {
  const checked = size - Math.min(sinceSize, size) - withheld.count
  const parts = [`${number(size)} in order, content and signature of ${number(checked)} checked`]
  if (withheld.count > 0) parts.push(`content of ${number(withheld.count)} still withheld`)
  steps.set('entries', { status: 'passed', reason: parts.join(', ') })
  const waiting = size - state.latestSize
  const rest = waiting > 0 ? `, ${entryCount(waiting)} beyond the newest` : ''
  steps.set(
    'roots',
    anchors.count > 0
      ? { status: 'passed', reason: `All ${number(anchors.count)} on the chain are those of this log${rest}` }
      : { status: 'pending', reason: 'There is no anchor on the chain yet' },
  )
  if (check.size !== size) throw new Error('The log check lost entries')
}

/** Creates the outcome of a run that completed or was stopped. */
export function conclude(run: Run, stop: CheckStopped | null): Outcome {
  const { server, check, trust, anchors, withheld, sinceSize, steps, size, options } = run
  const listedSteps = listSteps(steps, options.trackRecord)
  const verdict = decideVerdict(run, stop, listedSteps)
  const anchoredSize = anchors.newest?.size ?? 0
  const { unprovenTimes, unprovenOutcomes, unprovenOthers } = check
  const intact = `${entryCount(anchoredSize)} up to the newest anchor: none edited, none missing, none moved.`
  const outcomes = `The time of ${outcomeCount(unprovenOutcomes.count)} is not proven.`
  const conclusions: Record<Outcome['verdict'], string> = {
    verified: intact,
    failed: `${stop && listedSteps.find(({ id }) => id === stop.step)?.title}: ${stop?.message}.`,
    'not-anchored': 'All checks so far succeeded, but the log has no anchor on the chain yet.',
    unavailable: `${stop?.message}.`,
    unpinned: describeUnpinned(true),
    'time-not-proven': [
      `${intact} The time of issue of ${entryCount(unprovenTimes.count)} is not proven.`,
      ...(unprovenOutcomes.count > 0 ? [outcomes] : []),
    ].join(' '),
    'outcome-time-not-proven': `${intact} ${outcomes}`,
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

function outcomeCount(count: number): string {
  return `${number(count)} ${count === 1 ? 'outcome' : 'outcomes'}`
}

/** Maximum number of unproven times listed in the notes. */
const MAX_LISTED = 10

function describeTimes({ count, unproven }: UnprovenTimes, noun: string): string[] {
  const listed = unproven.slice(0, MAX_LISTED).map((entry) => `${noun} ${describeTime(entry)}`)
  return count > listed.length ? [...listed, `And ${number(count - listed.length)} more.`] : listed
}

function describeTime({ index, createdAt, why, blockAt }: UnprovenTime): string {
  return why === 'anchored-late'
    ? `${index} says ${createdAt}, but was anchored only at ${blockAt}.`
    : `${index} says ${createdAt}, but the anchor of ${blockAt} does not cover it.`
}

/** Describes unproven times of other entries. No verdict and no figure depends on these times. */
function describeOtherTimes({ count, unproven: [first] }: UnprovenTimes): string[] {
  if (!first) return []
  const kinds = 'key lists, heartbeats and successions'
  return [`Of ${kinds}, the time of ${entryCount(count)} is not proven, the first of them ${first.index}.`]
}

function listNotes({ withheld, unsettled, sinceSize, size, check, options }: Run, stop: CheckStopped | null): string[] {
  const notes = [
    ...describeTimes(check.unprovenTimes, 'Entry'),
    ...describeTimes(check.unprovenOutcomes, 'Outcome'),
    ...describeOtherTimes(check.unprovenOthers),
  ]
  if (withheld.count > 0) {
    notes.push(
      `The content of ${entryCount(withheld.count)}, the first of them ${withheld.first}, is not public yet: ` +
        'the hashes were checked, the content was not.',
    )
  }
  if (unsettled.length > 0) {
    notes.push(
      `The targets of the corrections ${unsettled.slice(0, 10).join(', ')} are not public yet and were not compared.`,
    )
  }
  const skipped = Math.min(sinceSize, check.size)
  if (skipped > 0) {
    notes.push(
      `Content and signatures of the first ${entryCount(skipped)} count as checked before; the hashes were computed.`,
    )
  }
  if (!stop && options.saveCheckpointFile !== null && size !== null) {
    const next = `--checkpoint ${options.saveCheckpointFile} --since-size ${Math.max(sinceSize, withheld.first ?? size)}`
    notes.push(`The checkpoint is kept. To go on from here next time: ${next}`)
  }
  if (options.fromBlock !== null) notes.push(`Anchors before block ${options.fromBlock} were not looked for.`)
  return notes
}
