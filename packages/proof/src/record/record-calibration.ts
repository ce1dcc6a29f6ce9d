import { isCounted } from './alert-status.ts'
import { type Calibration, calibrate, createReferences, type EvaluatedForecast } from './calibration.ts'
import type { CountedAlert } from './record-alert.ts'

/** Minimum number of resolved alerts of a model and type before its confidences are measured. */
export const resolvedBeforeCalibration = 150

/** Resolved alerts (true or false) of a model and type. */
export interface ResolvedCount {
  model: string
  anomalyType: string
  resolved: number
}

/** A model and type whose confidences are measured. */
export interface CalibratedKey {
  model: string
  anomalyType: string
  /** Only alerts with a higher index are measured. */
  after: number
}

export interface RecordCalibration extends Calibration {
  /** The models and types that the figures cover. */
  set: CalibratedKey[]
  /**
   * Number of counted alerts, except void ones, that are not measured: too few alerts were resolved
   * before them, or their content or prediction is not known.
   */
  leftOut: number
  resolved: ResolvedCount[]
}

interface ResolvedKey extends ResolvedCount {
  /**
   * The lowest indexes of outcomes, in ascending order, at most `resolvedBeforeCalibration` of
   * them.
   */
  first: number[]
}

/** Stores few numbers for each alert. */
export function createCalibration() {
  const resolvedByKey = new Map<string, ResolvedKey>()
  const references = createReferences()
  const types: string[] = []
  const confidences: number[] = []
  /** One number per alert: twice the time of issue, plus 1 if the alert came true. */
  const codes: number[] = []
  let candidateCount = 0

  function* listForecasts(): Generator<EvaluatedForecast> {
    const getReference = references.finish()
    for (const [at, code] of codes.entries()) {
      const type = types[at] ?? ''
      const referenceForecast = getReference({ type, createdMs: Math.floor(code / 2) })
      yield { confidence: confidences[at] ?? 0, isTrue: code % 2 !== 0, referenceForecast }
    }
  }

  return {
    /**
     * Callers add alerts in ascending index order. Whether an alert is measured depends only on
     * outcomes with a lower index. They belong to earlier alerts, which have been added already.
     */
    add({ statement, forecast, index, status, outcome }: CountedAlert): void {
      const isTrue = status === 'true'
      const key = JSON.stringify([forecast?.model.name, statement?.anomalyType])
      const resolvedKey = resolvedByKey.get(key)
      if (isCounted(status) && status !== 'void') {
        candidateCount += 1
        if (statement && forecast && resolvedKey && findCalibratedAfter(resolvedKey) < index) {
          const { confidence, anomalyType: type, createdAt } = statement
          const createdMs = Date.parse(createdAt)
          references.add({ type, createdMs, resolvedMs: outcome?.createdMs ?? null, isTrue })
          types.push(type)
          confidences.push(confidence)
          codes.push(2 * createdMs + (isTrue ? 1 : 0))
        }
      }
      if (!isTrue && status !== 'false') return
      const names = { model: forecast?.model.name ?? '', anomalyType: statement?.anomalyType ?? '' }
      const counts = resolvedKey ?? { ...names, resolved: 0, first: [] }
      resolvedByKey.set(key, counts)
      counts.resolved += 1
      if (outcome) insertSorted(counts.first, outcome.index)
    },

    finish(): RecordCalibration {
      const counts = [...resolvedByKey.values()]
      return {
        ...calibrate(listForecasts()),
        set: counts.flatMap(({ model, anomalyType, ...resolvedKey }) => {
          const after = findCalibratedAfter(resolvedKey)
          return after === Number.POSITIVE_INFINITY ? [] : [{ model, anomalyType, after }]
        }),
        leftOut: candidateCount - codes.length,
        resolved: counts.map(({ first: _first, ...resolvedCount }) => resolvedCount),
      }
    },
  }
}

/**
 * Returns the index of the outcome that completes the minimum number of resolved alerts. Alerts
 * with a higher index are measured.
 */
function findCalibratedAfter({ first }: Pick<ResolvedKey, 'first'>): number {
  return first[resolvedBeforeCalibration - 1] ?? Number.POSITIVE_INFINITY
}

function insertSorted(sortedIndexes: number[], index: number): void {
  let at = sortedIndexes.length
  while (at > 0 && (sortedIndexes[at - 1] ?? 0) > index) at -= 1
  sortedIndexes.splice(at, 0, index)
  if (sortedIndexes.length > resolvedBeforeCalibration) sortedIndexes.pop()
}
