import type { Hex } from '../hex.ts'
import { type AlertStatus, getStatus, type KnownPrediction, type RecordTime } from './alert-status.ts'
import { createEpisodeStartCheck } from './episodes.ts'
import { createSignalWithoutForecast, type KnownSignal } from './evaluate-entry.ts'
import { computeHorizon } from './prediction.ts'
import type { RecordAlert, RecordOptions } from './record-alert.ts'
import {
  type AlertFact,
  type Fact,
  findAnchorTime,
  getLastAnchor,
  isTarget,
  isTimeProven,
  type OutcomeFact,
} from './record-facts.ts'

const hourMs = 3_600_000

/** An alert whose status is not decided yet. */
interface Draft {
  alert: RecordAlert
  /** Null if the content is not public. */
  fact: AlertFact | null
  prediction: KnownPrediction
}

/** Decides the status of each alert in the record as of the last anchor. */
export function decideAlerts(
  facts: readonly Fact[],
  { anchors, publicDelayMs, candles, hasArchive = candles?.isArchive === true }: RecordOptions,
): RecordAlert[] {
  const recordTime: RecordTime = { blockMs: Date.parse(getLastAnchor(anchors).blockAt), publicDelayMs }
  const drafts = new Map<number, Draft>()
  const signalHashes = new Set<Hex>()
  /**
   * Indexes of alerts whose content is younger than the public delay. Every program treats this
   * content as hidden, even if the program knows it, so that all programs compute the same record.
   */
  const youngIndexes = new Set<number>()
  const isYoung = (createdMs: number) => createdMs + publicDelayMs > recordTime.blockMs
  const addDraft = (entry: Fact, fact: AlertFact | null, signal: KnownSignal) => {
    const alert = createAlert(entry, fact, signal, findAnchorTime(anchors, entry.index))
    drafts.set(entry.index, { alert, fact, prediction: signal.prediction })
  }
  const addHidden = (entry: Fact) => addDraft(entry, null, createSignalWithoutForecast('hidden'))

  for (const fact of facts) {
    switch (fact.kind) {
      case 'unknown':
        addHidden(fact)
        break
      case 'change':
        // While a correction or retraction is younger than the public delay, the public sees only
        // an entry of unknown kind.
        if (isYoung(fact.createdMs)) addHidden(fact)
        break
      case 'alert': {
        if (isYoung(fact.createdMs)) {
          youngIndexes.add(fact.index)
          addHidden(fact)
          break
        }
        const { signalHash } = fact.statement
        const isRepeated = signalHash !== null && signalHashes.has(signalHash)
        if (signalHash !== null) signalHashes.add(signalHash)
        if (!fact.signal) break
        const repeatedSignal = isRepeated && createSignalWithoutForecast('none', 'An earlier alert has the same signal')
        addDraft(fact, fact, repeatedSignal || fact.signal)
        break
      }
      case 'outcome': {
        // An outcome is public together with its alert.
        if (youngIndexes.has(fact.targetIndex)) addHidden(fact)
        const target = drafts.get(fact.targetIndex)
        if (target?.fact && isTarget(target.fact, fact)) {
          addOutcome(target.alert, target.fact, fact, isTimeProven(anchors, fact))
        }
        break
      }
    }
  }
  const isFirstOfEpisode = createEpisodeStartCheck()
  return [...drafts.values()].map(({ alert, prediction }) => {
    alert.status = decideStatus(alert, prediction, recordTime, hasArchive)
    alert.isFirstOfEpisode = alert.forecast === null || isFirstOfEpisode(alert.forecast.prediction)
    return alert
  })
}

function createAlert(
  { index, leafHash }: Fact,
  fact: AlertFact | null,
  { forecast, problem }: KnownSignal,
  anchoredMs: number | null,
): RecordAlert {
  const createdMs = fact?.createdMs ?? 0
  const startMs = forecast ? computeHorizon(forecast.prediction).from * 1000 : fact ? createdMs : (anchoredMs ?? 0)
  // Lists every property by name, because objects built by spreading are slow to read in long
  // records.
  return {
    index,
    leafHash,
    status: 'pending',
    statement: fact?.statement ?? null,
    forecast,
    problem,
    createdMs,
    anchoredMs,
    outcome: null,
    furtherOutcomes: [],
    isWitnessed: false,
    isFirstOfEpisode: true,
    hour: Math.floor(startMs / hourMs),
  }
}

function addOutcome(alert: RecordAlert, { result }: AlertFact, outcome: OutcomeFact, isTimeProven: boolean): void {
  const { index, createdMs, verdict, measured } = outcome
  if (alert.outcome) {
    alert.furtherOutcomes.push(index)
    return
  }
  // An alert that repeats a signal has no forecast. Its outcome may have a result, but the result
  // does not count.
  const countedResult = alert.forecast ? result : null
  const { problem, comparison } = countedResult ?? { problem: null, comparison: null }
  alert.outcome = { index, createdMs, verdict, measured, problem, isTimeProven, comparison }
  alert.isWitnessed = countedResult?.isWitnessed ?? false
}

function decideStatus(
  { outcome, createdMs, anchoredMs }: RecordAlert,
  prediction: KnownPrediction,
  recordTime: RecordTime,
  hasArchive: boolean,
): AlertStatus {
  const facts = outcome && {
    createdMs: outcome.createdMs,
    verdict: outcome.verdict,
    isValid: outcome.problem === null,
    isDisputed: hasArchive && outcome.comparison === 'other-verdict',
  }
  return getStatus({ createdMs, prediction, anchoredMs, outcome: facts }, recordTime)
}
