import type { AdminInstance, AdminInstances, endpoints } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { desc, gte, max, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { instanceSamples } from '../../db/schema/server.ts'
import type { Handler } from '../../http/route.ts'
import { KEPT_MS, REPORT_MS } from './report-instance.ts'

const STEP_MS = 10 * MINUTE_MS
const STEPS = KEPT_MS / STEP_MS
/** Time without a report after which a running instance is shown as silent. */
const SILENT_MS = 2.5 * REPORT_MS

/**
 * States from best to worst. `stopped` is better than `degraded`, because an instance that stopped
 * may have been replaced as planned.
 */
const severities = ['ready', 'stopped', 'degraded', 'unavailable'] as const satisfies readonly AdminInstance['state'][]

type Newest = typeof instanceSamples.$inferSelect
type Step = Awaited<ReturnType<typeof listSteps>>[number]

/**
 * Returns the instances that have reported within a day, and the lags that they have measured. The
 * last report of an instance that stops has no lags.
 */
export const adminInstances: Handler<typeof endpoints.adminInstances> = async (ctx) => {
  const now = ctx.clock.now()
  const from = new Date(Math.floor(now.getTime() / STEP_MS) * STEP_MS + STEP_MS - KEPT_MS)
  const [newest, steps] = await Promise.all([listNewest(ctx, from), listSteps(ctx, from)])
  const latest = newest
    .filter(({ state }) => state !== 'stopped')
    .reduce<Newest | null>((one, row) => (one && one.at >= row.at ? one : row), null)
  return {
    now: now.toISOString(),
    from: from.toISOString(),
    stepSeconds: STEP_MS / 1_000,
    instances: newest.map((row) => present(row, steps, now)),
    lags: [
      presentLag('anchoring', latest?.anchorLag, steps, ({ anchorLag }) => anchorLag),
      presentLag('payments', latest?.paymentLag, steps, ({ paymentLag }) => paymentLag),
      presentLag('queues', latest?.queueAge, steps, ({ queueAge }) => queueAge),
      presentLag('feed', latest?.feedAge, steps, ({ feedAge }) => feedAge),
      presentLag('engine', latest?.engineAge, steps, ({ engineAge }) => engineAge),
    ],
  }
}

function listNewest(ctx: Context, from: Date): Promise<Newest[]> {
  return ctx.db
    .selectDistinctOn([instanceSamples.name])
    .from(instanceSamples)
    .where(gte(instanceSamples.at, from))
    .orderBy(instanceSamples.name, desc(instanceSamples.at))
}

/** Returns the worst values of each instance in each step. */
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

function present({ at, startedAt, failing, ...row }: Newest, steps: readonly Step[], now: Date): AdminInstance {
  const own = new Map(steps.filter(({ name }) => name === row.name).map((one) => [one.step, one]))
  const over = <Value>(read: (step: Step) => Value) =>
    Array.from({ length: STEPS }, (_, step) => {
      const found = own.get(step)
      return found ? read(found) : null
    })
  return {
    name: row.name,
    version: row.version,
    startedAt: startedAt.toISOString(),
    seenAt: at.toISOString(),
    state: row.state,
    isSilent: row.state !== 'stopped' && now.getTime() - at.getTime() > SILENT_MS,
    failing: Object.entries(failing).map(([check, reason]) => ({ check, reason })),
    jobs: row.jobs,
    connected: row.connected,
    loopDelayMs: row.loopDelayMs,
    day: {
      states: over(({ severity }) => severities[severity - 1] ?? null),
      connected: over(({ connected }) => connected),
      loopDelayMs: over(({ loopDelayMs }) => loopDelayMs),
    },
  }
}

type Lag = AdminInstances['lags'][number]

function presentLag(
  name: Lag['name'],
  seconds: number | null | undefined,
  steps: readonly Step[],
  read: (step: Step) => number | null,
): Lag {
  const day: (number | null)[] = Array.from({ length: STEPS }, () => null)
  for (const one of steps) {
    const value = read(one)
    if (value !== null) day[one.step] = Math.max(day[one.step] ?? 0, value)
  }
  return { name, seconds: seconds ?? null, day }
}
