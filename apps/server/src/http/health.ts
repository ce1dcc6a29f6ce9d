import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { withDeadline } from '../db/health.ts'
import { isEqualSecret } from '../is-equal-secret.ts'
import { registerMetrics, type Sample } from '../metrics.ts'
import { Refusal } from '../refusal.ts'
import type { RunChecks } from './checks.ts'

/** Values for readiness and metrics from modules that this module must not import. */
export interface HealthSources {
  runChecks: RunChecks
  /** True while the server completes accepted requests before it stops. */
  isStopping(): boolean
  /** Samples of this process, which can be read without another system. */
  ownSamples(): Sample[]
  /**
   * Functions that read samples of other systems. If one fails or hangs, the others are not
   * affected.
   */
  sampleReaders: readonly (() => Promise<Sample[]>)[]
}

/** Excludes an endpoint from the API document, because it is for operators. */
const HIDDEN_SCHEMA = { hide: true }
/** Options of endpoints that are monitored. Many monitors and load balancers use HEAD. */
const MONITORED_OPTIONS = { schema: HIDDEN_SCHEMA, exposeHeadRoute: true }

/**
 * Client addresses that may read the metrics if no token is configured. Requests that a local proxy
 * forwards are excluded: they also come from loopback, but not from the operator.
 */
const LOOPBACK_ADDRESSES = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** Timeout of each sample, because a scrape must not wait for an unavailable database or chain. */
const SAMPLE_DEADLINE_MS = 2_000

/**
 * Serves /healthz (liveness, without dependencies), /readyz (readiness) and /metrics (Prometheus).
 * A stopping server responds to the first two with 503, so a proxy can use either. With /healthz, a
 * proxy continues to forward requests while the database is unavailable.
 */
export function installHealth(app: FastifyInstance, ctx: Context, sources: HealthSources): void {
  app.get('/healthz', { ...MONITORED_OPTIONS, config: { rateLimit: false } }, async (_request, reply) =>
    sources.isStopping() ? reply.code(503).send({ status: 'stopping' }) : { status: 'ok' },
  )
  app.get('/readyz', MONITORED_OPTIONS, async (_request, reply) => {
    if (sources.isStopping()) return reply.code(503).send({ status: 'stopping', reasons: { server: 'stopping' } })
    const failedChecks = (await sources.runChecks()).filter(({ reason }) => reason !== null)
    const failedRequired = failedChecks.filter(({ isRequired }) => isRequired)
    if (failedRequired.length > 0)
      return reply.code(503).send({ status: 'unavailable', reasons: toReasonsByName(failedRequired) })
    return { status: failedChecks.length > 0 ? 'degraded' : 'ready', reasons: toReasonsByName(failedChecks) }
  })

  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const setGauges = registerMetrics(registry)
  app.get('/metrics', { schema: HIDDEN_SCHEMA, config: { rateLimit: false } }, async (request, reply) => {
    if (!mayScrape(request, ctx.config.metricsToken))
      throw new Refusal('forbidden', 'Metrics need the bearer token of METRICS_TOKEN, or a loopback address')
    setGauges(await collectSamples(sources))
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function mayScrape({ ip, headers }: FastifyRequest, metricsToken: string | null): boolean {
  if (metricsToken) return isEqualSecret(headers.authorization ?? '', `Bearer ${metricsToken}`)
  return LOOPBACK_ADDRESSES.has(ip) && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined
}

const toReasonsByName = (results: readonly { name: string; reason: string | null }[]) =>
  Object.fromEntries(results.map(({ name, reason }) => [name, reason]))

async function collectSamples({ runChecks, ownSamples, sampleReaders }: HealthSources): Promise<Sample[]> {
  const [results, ...sampleLists] = await Promise.all([
    runChecks(),
    ...sampleReaders.map((readSamples) =>
      withDeadline(
        readSamples().catch(() => []),
        SAMPLE_DEADLINE_MS,
        [],
      ),
    ),
  ])
  const checkSamples = results.map(
    ({ name, reason }): Sample => ({
      name: 'tocsin_check_ok',
      value: reason === null ? 1 : 0,
      labels: { check: name },
    }),
  )
  return [...ownSamples(), ...checkSamples, ...sampleLists.flat()]
}
