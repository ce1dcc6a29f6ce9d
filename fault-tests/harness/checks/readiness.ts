import type { Evidence } from '../evidence.ts'
import type { FaultRecord, ReadinessSample, Truth } from '../journal.ts'
import { faultKinds } from '../kinds.ts'

const KNOWN_WITHIN_MS = 5_000
/** A request that was sent shortly before the end may be answered after it. */
const ANSWERED_WITHIN_MS = 3_000

/**
 * Within five seconds of each fault, /readyz of the affected instances said that they cannot serve,
 * or the reason why something works only partially, until the fault was healed. After the time to
 * recover, all instances were ready again.
 */
export function checkReadiness({ journal: { faults, readiness } }: Pick<Evidence, 'journal'>): string[] {
  const instances = [...new Set(readiness.map(({ instance }) => instance))]
  return faults.flatMap((fault) => {
    const label = `${fault.name} (${fault.target})`
    const truths = [...fault.truths, ...readyAgain(fault, instances)]
    return truths.flatMap((truth) => {
      const lies = samplesOf(readiness, truth).filter((sample) => !isTrue(sample, truth.says))
      const [first] = lies
      if (!first) return []
      const wanted = typeof truth.says === 'string' ? truth.says : `degraded by ${truth.says.reason}`
      const found = `${first.status} ${first.reasons}`.trim()
      return [`${label}: ${truth.instance} said "${found}" instead of ${wanted}, ${lies.length} times`]
    })
  })
}

function readyAgain({ name, injectedAtMs, healedAtMs, endedAtMs }: FaultRecord, instances: string[]): Truth[] {
  const { from, goalMs } = faultKinds[name]
  const recoversAtMs = Math.max(healedAtMs, from === 'heal' ? healedAtMs + goalMs : injectedAtMs + goalMs)
  return instances.map((instance) => ({ instance, fromMs: recoversAtMs, untilMs: endedAtMs, says: 'ready' }))
}

function samplesOf(readiness: readonly ReadinessSample[], { instance, fromMs, untilMs }: Truth): ReadinessSample[] {
  const [firstMs, lastMs] = [fromMs + KNOWN_WITHIN_MS, untilMs - ANSWERED_WITHIN_MS]
  return readiness.filter((sample) => sample.instance === instance && sample.atMs >= firstMs && sample.atMs < lastMs)
}

function isTrue({ status, reasons }: ReadinessSample, says: Truth['says']): boolean {
  if (says === 'unready') return status !== 200
  if (says === 'ready') return status === 200
  return status === 200 && reasons.includes(says.reason)
}
