import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { withDeadline } from '../db/health.ts'
import { Refusal } from '../refusal.ts'

/** Values for readiness and metrics from parts that this module must not import. */
export interface Watched {
  /**
   * Reasons by part why this instance should receive no requests. Must return quickly even if a
   * dependency hangs.
   */
  unready(): Promise<Record<string, string>>
  /** Parts that work only partially, with the reason. The instance still serves requests. */
  degraded(): Promise<Record<string, string>>
  /** True while the server finishes accepted requests before it stops. */
  isStopping(): boolean
  connectedStreams(): number
  signInFailures(): { total: number; isAlarming: boolean }
  logSize(): Promise<number>
  /** Offset of the clock of this instance from the clock of the database, in milliseconds. */
  clockAheadMs(): Promise<number>
  /** Background jobs for which this instance is the leader. */
  leads(): string[]
  /**
   * Number of anchors that the balance of the anchoring wallet pays for; null if it cannot be read.
   */
  anchorsLeft(): Promise<number | null>
}

/** For operators, so excluded from the API document. */
const HIDDEN = { hide: true }
/** Many monitors and load balancers use HEAD. */
const WATCHED = { schema: HIDDEN, exposeHeadRoute: true }

/**
 * Addresses allowed without a token. Requests forwarded by a local proxy also come from loopback,
 * but not from the operator.
 */
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

const DEGRADED_DEADLINE_MS = 2_000
const unknownParts = (): Record<string, string> => ({ parts: 'the state of chains and feed cannot be read' })

/** Serves /healthz (liveness, no dependencies), /readyz (readiness) and /metrics (Prometheus). */
export function installHealth(app: FastifyInstance, ctx: Context, watched: Watched): void {
  app.get('/healthz', { ...WATCHED, config: { rateLimit: false } }, async () => ({ status: 'ok' }))
  app.get('/readyz', WATCHED, async (_request, reply) => {
    if (watched.isStopping()) return reply.code(503).send({ status: 'stopping', reasons: { server: 'stopping' } })
    const [unready, degraded] = await Promise.all([
      watched.unready(),
      withDeadline(watched.degraded().catch(unknownParts), DEGRADED_DEADLINE_MS, unknownParts()),
    ])
    if (Object.keys(unready).length > 0) return reply.code(503).send({ status: 'unavailable', reasons: unready })
    return { status: Object.keys(degraded).length > 0 ? 'degraded' : 'ready', reasons: degraded }
  })

  const registry = createRegistry(watched)
  app.get('/metrics', { schema: HIDDEN, config: { rateLimit: false } }, async (request, reply) => {
    const { metricsToken } = ctx.config
    const allowed = metricsToken
      ? request.headers.authorization === `Bearer ${metricsToken}`
      : LOOPBACK.has(request.ip) && request.headers['x-forwarded-for'] === undefined
    if (!allowed)
      throw new Refusal('forbidden', 'Metrics need the bearer token of METRICS_TOKEN, or a loopback address')
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function createRegistry(watched: Watched): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'tocsin_streams_connected',
    help: 'Live sockets open on this instance',
    registers: [registry],
    collect() {
      this.set(watched.connectedStreams())
    },
  })
  new Gauge({
    name: 'tocsin_sign_in_failures',
    help: 'Sign-ins that failed or were rate limited on this instance since it started',
    registers: [registry],
    collect() {
      this.set(watched.signInFailures().total)
    },
  })
  new Gauge({
    name: 'tocsin_sign_in_alarm',
    help: '1 if so many sign-ins fail that credential stuffing is likely, otherwise 0',
    registers: [registry],
    collect() {
      this.set(watched.signInFailures().isAlarming ? 1 : 0)
    },
  })
  new Gauge({
    name: 'tocsin_log_entries',
    help: 'Entries in the transparency log; NaN if the database cannot be read',
    registers: [registry],
    async collect() {
      this.set(await withDeadline(watched.logSize().catch(unknownValue), METRIC_DEADLINE_MS, unknownValue()))
    },
  })
  new Gauge({
    name: 'tocsin_clock_ahead_seconds',
    help: "Offset of this instance's clock from the database's clock; beyond 10 s in either direction the instance issues nothing",
    registers: [registry],
    async collect() {
      const aheadMs = watched.clockAheadMs().catch(unknownValue)
      this.set((await withDeadline(aheadMs, METRIC_DEADLINE_MS, unknownValue())) / 1000)
    },
  })
  new Gauge({
    name: 'tocsin_anchors_left',
    help: 'Anchors that the balance of the anchoring wallet pays for at the current gas price; NaN if the chain cannot be read',
    registers: [registry],
    async collect() {
      this.set((await watched.anchorsLeft()) ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'tocsin_leads',
    help: '1 for each background job that this instance runs; each job runs on one instance at a time',
    labelNames: ['job'],
    registers: [registry],
    collect() {
      this.reset()
      for (const job of watched.leads()) this.set({ job }, 1)
    },
  })
  return registry
}

/** A scrape must not wait for an unavailable database. */
const METRIC_DEADLINE_MS = 2_000
const unknownValue = () => Number.NaN
