import fc from 'fast-check'
import { computeWindow } from '../../src/record/metrics.ts'
import { hashSignal } from '../../src/signal.ts'
import { createPrediction, createTestRecord, getCandles, testStartSeconds } from './test-record.ts'

/** Random logs for tests. */

const hour = 3600

export type Step =
  | { do: 'alert'; kind: 'predicts' | 'plain' | 'admin' | 'demo' | 'repeats' | 'withheld' | 'missing'; horizon: number }
  | { do: 'outcome'; of: number; kind: 'true' | 'false' | 'void' | 'invalid' | 'other target'; delay: number }
  | { do: 'retraction'; of: number }
  | { do: 'anchor'; hours: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('alert'),
    kind: fc.constantFrom(
      'predicts',
      'predicts',
      'predicts',
      'plain',
      'admin',
      'demo',
      'repeats',
      'withheld',
      'missing',
    ),
    horizon: fc.constantFrom(300, 600, hour),
  }),
  fc.record({
    do: fc.constant('outcome'),
    of: fc.nat(2),
    kind: fc.constantFrom('true', 'true', 'false', 'void', 'invalid', 'other target'),
    delay: fc.constantFrom(0, 0, 48 * hour),
  }),
  fc.record({ do: fc.constant('retraction'), of: fc.nat(5) }),
  fc.record({ do: fc.constant('anchor'), hours: fc.constantFrom(0.01, 0.01, 0.01, 1, 12, 80) }),
)

/** Builds a log with anchors at the steps `anchor` and at the end. */
export function buildLog(steps: readonly Step[]) {
  const log = createTestRecord()
  const alerts: ReturnType<typeof log.appendAlert>[] = []
  let now = testStartSeconds
  const pickTarget = (of: number) => alerts[alerts.length - 1 - (of % Math.max(1, alerts.length))]
  for (const logStep of [...steps, { do: 'anchor', hours: 100 } as const]) {
    if (logStep.do === 'anchor') {
      now += Math.ceil(logStep.hours * 60) * 60
      if (log.anchors.at(-1)?.size !== log.entries.length) log.anchor(now)
    } else if (logStep.do === 'alert') {
      const { kind, horizon } = logStep
      now += 60
      const prediction =
        kind === 'plain' || kind === 'admin' ? null : createPrediction(now, { horizonSeconds: horizon })
      const repeatedMessage = kind === 'repeats' ? (alerts.at(-1)?.message ?? null) : null
      const origin = kind === 'admin' || kind === 'demo' ? kind : 'feed'
      const entry = log.appendAlert(prediction, {
        ...(repeatedMessage === null ? {} : { message: repeatedMessage }),
        alert: { origin, ...(kind === 'admin' ? { signalHash: null } : {}) },
      })
      alerts.push({ ...entry })
      if (kind === 'withheld') entry.statement = null
      if (kind === 'missing') entry.message = null
    } else if (logStep.do === 'outcome') {
      const target = pickTarget(logStep.of)
      const { prediction }: { prediction?: ReturnType<typeof createPrediction> } = JSON.parse(target?.message ?? '{}')
      if (!target || !prediction) continue
      const candles = getCandles(prediction, logStep.kind === 'true' ? 2 : 60)
      log.appendOutcome(target, logStep.kind === 'void' ? candles.slice(0, 5) : candles, {
        entry: {
          createdAt: new Date((computeWindow(prediction).until + 6 + logStep.delay) * 1000).toISOString(),
          ...(logStep.kind === 'other target' ? { targetLeafHash: hashSignal('other') } : {}),
        },
        message: logStep.kind === 'invalid' ? { measured: '7' } : {},
      })
    } else {
      const target = pickTarget(logStep.of)?.statement
      if (target?.kind !== 'alert') continue
      const [targetIndex, targetLeafHash] = [target.index, log.entries[target.index]?.leafHash ?? '0x']
      const createdAt = new Date(now * 1000).toISOString()
      log.append(
        { ...target, kind: 'retraction', index: log.entries.length, createdAt, targetIndex, targetLeafHash },
        null,
      )
    }
  }
  return log
}

export const logSteps = fc.array(step, { minLength: 5, maxLength: 50 })
