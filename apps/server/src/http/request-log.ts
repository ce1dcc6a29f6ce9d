import type { FastifyInstance, FastifyRequest } from 'fastify'
import { httpRequestSeconds } from '../metrics.ts'
import { systemScheduler } from '../scheduler.ts'
import { traceRequest } from '../tracing.ts'
import { createLineLimit } from './line-limit.ts'

/** Matches requests of monitors and for files. They are measured but not logged. */
const UNLOGGED = /^\/(healthz|readyz|metrics|assets\/)/
const ROUTES = /^\/(api\/|healthz|readyz|metrics|openapi\.json)/

/**
 * Measures and traces each request, and logs it in one line. The line has the route instead of the
 * URL, because URLs contain emailed tokens. At most 20 lines a minute are logged for each route and
 * class of status.
 */
export function installRequestLog(app: FastifyInstance): void {
  const limit = createLineLimit(systemScheduler, (kind, suppressed) =>
    app.log.info({ kind, suppressed }, 'further requests were not logged'),
  )
  app.addHook('onClose', async () => limit.close())
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request
    const route = getRoute(request)
    const code = `${Math.floor(reply.statusCode / 100)}xx`
    httpRequestSeconds.observe({ method, route, code }, reply.elapsedTime / 1_000)
    traceRequest({
      method,
      route,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      headers: request.headers,
    })
    if (UNLOGGED.test(request.url) || !limit.admits(`${method} ${route} ${code}`)) return
    const accountId = request.actor?.accountId
    app.log.info(
      {
        reqId: request.id,
        ...(accountId ? { accountId } : {}),
        method,
        route,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
  })
}

/**
 * Returns the pattern of the route. All pages and files share one value, so that the number of
 * values of the metric's label is limited.
 */
function getRoute({ routeOptions: { url } }: FastifyRequest): string {
  return url !== undefined && ROUTES.test(url) ? url : 'page or file'
}

/**
 * Tracks the requests that are running.
 * @returns a function that lists the requests that are running or have ended since its last call,
 * each method and route once
 */
export function trackRunningRequests(app: FastifyInstance): () => string[] {
  const runningCounts = new Map<string, number>()
  const endedNames = new Set<string>()
  const formatRouteName = (request: FastifyRequest) => `${request.method} ${getRoute(request)}`
  app.addHook('onRequest', (request, _reply, done) => {
    const name = formatRouteName(request)
    runningCounts.set(name, (runningCounts.get(name) ?? 0) + 1)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    const name = formatRouteName(request)
    const remainingCount = (runningCounts.get(name) ?? 0) - 1
    if (remainingCount > 0) runningCounts.set(name, remainingCount)
    else runningCounts.delete(name)
    endedNames.add(name)
    done()
  })
  return () => {
    const names = new Set([...runningCounts.keys(), ...endedNames])
    endedNames.clear()
    return [...names]
  }
}
