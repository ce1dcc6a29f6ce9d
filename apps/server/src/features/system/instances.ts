import type { AdminInstance, AdminInstances, endpoints } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { desc, gte, max, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { instanceSamples } from '../../db/schema/server.ts'
import type { Handler } from '../../http/route.ts'
import { REPORT_MS, SAMPLE_RETENTION_MS } from './report-instance.ts'

const STEP_MS = 10 * MINUTE_MS
const STEP_COUNT = SAMPLE_RETENTION_MS / STEP_MS
/** Time without a report after which a running instance is shown as silent. */
const SILENT_AFTER_MS = 2.5 * REPORT_MS

/**
 * States from best to worst. `stopped` is better than `degraded`, because an instance that stopped
 * may have been replaced as planned.
 */
const severities = ['ready', 'stopped', 'degraded', 'unavailable'] as const satisfies readonly AdminInstance['state'][]

type NewestSample = typeof instanceSamples.$inferSelect
type InstanceStep = Awaited<ReturnType<typeof listSteps>>[number]

/**
 * Returns the instances that have reported within a day, and the lags that they have measured. The
 * last report of an instance that stops has no lags.
 */
export const adminInstances: Handler<typeof endpoints.adminInstances> = async (ctx) => {
  const now = ctx.clock.now()
  const from = new Date(Math.floor(now.getTime() / STEP_MS) * STEP_MS + STEP_MS - SAMPLE_RETENTION_MS)
  const [newestSamples, steps] = await Promise.all([listNewest(ctx, from), listSteps(ctx, from)])
  const latestSample = newestSamples
    .filter(({ state }) => state !== 'stopped')
    .reduce<NewestSample | null>((one, row) => (one && one.at >= row.at ? one : row), null)
  return {
    now: now.toISOString(),
    from: from.toISOString(),
    stepSeconds: STEP_MS / 1_000,
    instances: newestSamples.map((row) => present(row, steps, now)),
    lags: [
      presentLag('anchoring', latestSample?.anchorLag, steps, ({ anchorLag }) => anchorLag),
      presentLag('payments', latestSample?.paymentLag, steps, ({ paymentLag }) => paymentLag),
      presentLag('queues', latestSample?.queueAge, steps, ({ queueAge }) => queueAge),
      presentLag('feed', latestSample?.feedAge, steps, ({ feedAge }) => feedAge),
      presentLag('engine', latestSample?.engineAge, steps, ({ engineAge }) => engineAge),
    ],
  }
}

function listNewest(ctx: Context, from: Date): Promise<NewestSample[]> {
  return ctx.db
    .selectDistinctOn([instanceSamples.name])
    .from(instanceSamples)
    .where(gte(instanceSamples.at, from))
    .orderBy(instanceSamples.name, desc(instanceSamples.at))
}

/** Returns each instance's worst values in each time step (`STEP_MS`). */
function listSteps(ctx: Context, from: Date) {
  const { name, at, state, connected, loopDelayMs } = instanceSamples
  const { anchorLag, paymentLag, queueAge, feedAge, engineAge } = instanceSamples
  const step = sql<number>`floor(extract(epoch from ${at} - ${from.toISOString()}::timestamptz) / ${STEP_MS / 1_000})::int`
  const ranks = sql.join(
    severities.map((one) => sql`${one}`),
    sql`, `,
  )
  return ctx.db
    .select({
      name,
      step: step.as('step'),
      severity: sql<number>`max(array_position(array[${ranks}]::text[], ${state}))`.mapWith(Number),
      connected: max(connected),
      loopDelayMs: max(loopDelayMs),
      anchorLag: max(anchorLag),
      paymentLag: max(paymentLag),
      queueAge: max(queueAge),
      feedAge: max(feedAge),
      engineAge: max(engineAge),
    })
    .from(instanceSamples)
    .where(gte(at, from))
    .groupBy(name, sql`step`)
}

function present(
  { at, startedAt, failing, ...row }: NewestSample,
  steps: readonly InstanceStep[],
  now: Date,
): AdminInstance {
  const stepsOfInstance = new Map(steps.filter(({ name }) => name === row.name).map((one) => [one.step, one]))
  const listOverSteps = <Value>(read: (step: InstanceStep) => Value) =>
    Array.from({ length: STEP_COUNT }, (_, step) => {
      const instanceStep = stepsOfInstance.get(step)
      return instanceStep ? read(instanceStep) : null
    })
  return {
    name: row.name,
    version: row.version,
    startedAt: startedAt.toISOString(),
    seenAt: at.toISOString(),
    state: row.state,
    isSilent: row.state !== 'stopped' && now.getTime() - at.getTime() > SILENT_AFTER_MS,
    failing: Object.entries(failing).map(([check, reason]) => ({ check, reason })),
    jobs: row.jobs,
    connected: row.connected,
    loopDelayMs: row.loopDelayMs,
    day: {
      states: listOverSteps(({ severity }) => severities[severity - 1] ?? null),
      connected: listOverSteps(({ connected }) => connected),
      loopDelayMs: listOverSteps(({ loopDelayMs }) => loopDelayMs),
    },
  }
}

type Lag = AdminInstances['lags'][number]

function presentLag(
  name: Lag['name'],
  seconds: number | null | undefined,
  steps: readonly InstanceStep[],
  read: (step: InstanceStep) => number | null,
): Lag {
  const day: (number | null)[] = Array.from({ length: STEP_COUNT }, () => null)
  for (const instanceStep of steps) {
    const value = read(instanceStep)
    if (value !== null) day[instanceStep.step] = Math.max(day[instanceStep.step] ?? 0, value)
  }
  return { name, seconds: seconds ?? null, day }
}
