import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { Refusal } from '../refusal.ts'

/** What readiness and metrics ask of the parts that this file must not know. */
export interface Watched {
  /** A part that works only partly right now, with the reason. The product still serves. */
  degraded(): Promise<Record<string, string>>
  /** The server answers what it has accepted and then stops. */
  isStopping(): boolean
  connectedStreams(): number
  signInFailures(): { total: number; isAlarming: boolean }
  logSize(): Promise<number>
  /** How far this instance's clock is ahead of the database's. */
  clockAheadMs(): Promise<number>
  /** How many anchors the anchoring wallet still pays for; null when that can't be read. */
  anchorsLeft(): Promise<number | null>
}

/** For operators: no part of the API that is described. */
const HIDDEN = { hide: true }
/** Many monitors and balancers ask with HEAD. */
const WATCHED = { schema: HIDDEN, exposeHeadRoute: true }

/** Without a token. What a proxy on this machine forwards comes from loopback too, but not from its operator. */
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** /healthz (alive, touches nothing), /readyz (database reachable and migrated), /metrics (Prometheus). */
export function installHealth(app: FastifyInstance, ctx: Context, watched: Watched): void {
  app.get('/healthz', { ...WATCHED, config: { rateLimit: false } }, async () => ({ status: 'ok' }))
  app.get('/readyz', WATCHED, async (_request, reply) => {
    if (watched.isStopping()) return reply.code(503).send({ status: 'stopping', reasons: { server: 'stopping' } })
    try {
      await ctx.db.execute(sql`select 1 from log_head`)
    } catch {
      return reply.code(503).send({ status: 'unavailable', reasons: { database: 'not reachable or not migrated' } })
    }
    const reasons = await watched.degraded()
    return { status: Object.keys(reasons).length > 0 ? 'degraded' : 'ready', reasons }
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
    help: 'Live sockets that are open on this instance',
    registers: [registry],
    collect() {
      this.set(watched.connectedStreams())
    },
  })
  new Gauge({
    name: 'tocsin_sign_in_failures',
    help: 'Sign-ins that failed or were put off on this instance since it started',
    registers: [registry],
    collect() {
      this.set(watched.signInFailures().total)
    },
  })
  new Gauge({
    name: 'tocsin_sign_in_alarm',
    help: '1 while so many sign-ins fail that somebody must be trying lists of passwords',
    registers: [registry],
    collect() {
      this.set(watched.signInFailures().isAlarming ? 1 : 0)
    },
  })
  new Gauge({
    name: 'tocsin_log_entries',
    help: 'Entries in the transparency log',
    registers: [registry],
    async collect() {
      this.set(await watched.logSize())
    },
  })
  new Gauge({
    name: 'tocsin_clock_ahead_seconds',
    help: "How far this instance's clock is ahead of the database's; nothing is issued here beyond 10 in either direction",
    registers: [registry],
    async collect() {
      this.set((await watched.clockAheadMs()) / 1000)
    },
  })
  new Gauge({
    name: 'tocsin_anchors_left',
    help: 'Anchors that the anchoring wallet still pays for at the present price of gas; NaN while the chain does not say',
    registers: [registry],
    async collect() {
      this.set((await watched.anchorsLeft()) ?? Number.NaN)
    },
  })
  return registry
}
