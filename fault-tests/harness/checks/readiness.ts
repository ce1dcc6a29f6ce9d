import type { Evidence } from '../evidence.ts'
import type { ExpectedReadiness, FaultRecord, Journal, ReadinessSample, RequestSample } from '../journal.ts'
import { DETECTION_LIMIT_MS, type FaultName, faultKinds, findReadinessStatement } from '../kinds.ts'

/**
 * Checks the responses of /readyz. From shortly after a fault until it is healed, the affected
 * instances must report that they are not ready, or the reason why they work only partially. After
 * the time to recover, all instances must be ready again. For each kind of fault that /readyz must
 * report, at least one response must have been checked.
 */
export function checkReadiness({ journal }: Pick<Evidence, 'journal'>): string[] {
  const { faults, readiness, posts } = journal
  const instances = [...new Set(readiness.map(({ instance }) => instance))]
  const wrongReports = faults.flatMap((fault) =>
    [...listExpected(fault, posts), ...listReadyAgain(fault, instances)].flatMap((truth) => {
      const wrongSamples = getSamples(readiness, truth).filter(
        (sample) => !matchesStatement(sample, truth.expectedState),
      )
      const [first] = wrongSamples
      if (!first) return []
      const expectedText =
        typeof truth.expectedState === 'string' ? truth.expectedState : `degraded by ${truth.expectedState.reason}`
      const foundText = `${first.status} ${first.reasons}`.trim()
      return [
        `${fault.name} (${fault.target}): ${truth.instance} said "${foundText}" instead of ${expectedText}, ${wrongSamples.length} times`,
      ]
    }),
  )
  const uncheckedFaults = [...countEvaluated(journal)].filter(([, count]) => count === 0)
  return [...wrongReports, ...uncheckedFaults.map(([name]) => `${name}: no response of /readyz was judged`)]
}

/**
 * Returns the number of checked /readyz responses by kind of fault. Only kinds that /readyz must
 * report are counted.
 */
export function countEvaluated({
  faults,
  readiness,
  posts,
}: Pick<Journal, 'faults' | 'readiness' | 'posts'>): Map<FaultName, number> {
  const counts = new Map<FaultName, number>()
  for (const fault of faults) {
    if (findReadinessStatement(fault.name) === null) continue
    const checkedSamples = listExpected(fault, posts).flatMap((truth) => getSamples(readiness, truth))
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + checkedSamples.length)
  }
  return counts
}

/**
 * Returns what the affected instances must report during a fault. If PostgreSQL crashes on a full
 * disk, its recovery frees space, and it accepts writes again before the end of the fault. The
 * period then ends with the last write that failed before.
 */
function listExpected(
  { name, expectedReadiness }: FaultRecord,
  posts: readonly RequestSample[],
): readonly ExpectedReadiness[] {
  if (name !== 'full disk of the database') return expectedReadiness
  return expectedReadiness.map((truth) => {
    const postsDuringFault = posts
      .filter(({ path, atMs }) => path === '/api/alerts' && atMs >= truth.fromMs && atMs < truth.untilMs)
      .sort((a, b) => a.atMs - b.atMs)
    const firstFailure = postsDuringFault.findIndex(({ status }) => status !== 201)
    const nextSuccess = postsDuringFault.findIndex(({ status }, index) => status === 201 && index > firstFailure)
    const lastFailure = postsDuringFault[nextSuccess - 1]
    return lastFailure ? { ...truth, untilMs: lastFailure.atMs + lastFailure.tookMs } : truth
  })
}

function listReadyAgain(
  { name, injectedAtMs, healedAtMs, endedAtMs }: FaultRecord,
  instances: string[],
): ExpectedReadiness[] {
  const { from, goalMs } = faultKinds[name]
  const recoversAtMs = Math.max(healedAtMs, from === 'heal' ? healedAtMs + goalMs : injectedAtMs + goalMs)
  return instances.map((instance) => ({ instance, fromMs: recoversAtMs, untilMs: endedAtMs, expectedState: 'ready' }))
}

/**
 * Returns the responses of the instance that the expectation applies to. They were requested at
 * least DETECTION_LIMIT_MS after `fromMs` and received before `untilMs`.
 */
function getSamples(
  readiness: readonly ReadinessSample[],
  { instance, fromMs, untilMs }: ExpectedReadiness,
): ReadinessSample[] {
  return readiness.filter(
    (sample) =>
      sample.instance === instance &&
      sample.atMs >= fromMs + DETECTION_LIMIT_MS &&
      sample.atMs + sample.tookMs < untilMs,
  )
}

export function matchesStatement(
  { status, reasons }: ReadinessSample,
  expectedState: ExpectedReadiness['expectedState'],
): boolean {
  if (expectedState === 'unready') return status !== 200
  if (expectedState === 'ready') return status === 200
  return status === 200 && reasons.includes(expectedState.reason)
}
