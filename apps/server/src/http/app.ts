import { randomUUID } from 'node:crypto'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import { type Endpoint, endpoints, idempotencyKey, type Permission, pollHeader } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import Fastify, {
  errorCodes,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { Quotas } from '../quota.ts'
import { Refusal } from '../refusal.ts'
import { systemScheduler } from '../scheduler.ts'
import { describeEndpoint, securitySchemes, serveApiDocument } from './api-document.ts'
import {
  type ApiKeyAuthenticator,
  createApiKeyAuthenticator,
  createKeyActor,
  type FindApiKey,
  getCost,
} from './api-key-authenticator.ts'
import { readBearer } from './bearer.ts'
import { createDrain, type Drain } from './drain.ts'
import { createSecurityEvent, installErrorEdge, respondToUnroutable } from './error-edge.ts'
import { runOnce } from './idempotency.ts'
import { createLineLimit } from './line-limit.ts'
import { getNetwork } from './network.ts'
import { RateLimitStore } from './rate-limit-store.ts'
import { installRequestLog } from './request-log.ts'
import { type Actor, assertRecentAuthentication, type Input, type Route } from './route.ts'
import { installSecurity, isLinkCall } from './security.ts'
import { createSecurityLog, type SecurityLog } from './security-log.ts'
import { readBuild } from './site-pages.ts'

const BODY_LIMIT_BYTES = 100 * 1024
/** Rate limits of each network. */
const LIMITS: Record<NonNullable<Endpoint['limit']> | 'normal', { max: number; timeWindow: number }> = {
  credential: { max: 20, timeWindow: MINUTE_MS },
  costly: { max: 60, timeWindow: MINUTE_MS },
  // Enough for a verifier, which reads 200,000 entries in a minute.
  page: { max: 240, timeWindow: MINUTE_MS },
  // Enough to verify a track record of 100,000 outcomes, for which a verifier reads the candles of
  // 800 market days, one day per request.
  day: { max: 2_000, timeWindow: MINUTE_MS },
  // Contact form, per network. The handler applies the stricter limits (support/routes.ts).
  letter: { max: 20, timeWindow: 60 * MINUTE_MS },
  normal: { max: 600, timeWindow: MINUTE_MS },
}

/**
 * Maximum number of changes by one account in an hour, from all networks. Most changes add entries
 * to the activity log of the account, which are stored as long as the account. Some add entries to
 * the audit log, which are stored for at least a year.
 */
const CHANGES_PER_HOUR = 1_200

const FILES_PER_MINUTE = 10_000
const isHashedFile = (url: string) => url.startsWith('/assets/')

/** The request or WebSocket upgrade that identifies the caller. */
export interface Caller {
  headers: { cookie?: string | undefined; [pollHeader]?: string | string[] | undefined }
}

/** True if a page made the request by itself, without recent input of the user. */
export const isPoll = ({ headers }: Caller) => headers[pollHeader] !== undefined

/** Returns the actor of the session cookie, or null. */
export type FindActor = (caller: Caller) => Promise<Actor | null>

const refuseApiKey: FindApiKey = async () => {
  throw new Refusal('api_key_invalid', 'This server has no API keys')
}

/** Creates the HTTP server for the given routes. */
export async function createApp(
  ctx: Context,
  routes: readonly Route[],
  findActor: FindActor,
  drain: Drain = createDrain(),
  securityLog: SecurityLog = createSecurityLog(ctx),
  apiKeyAuthenticator: ApiKeyAuthenticator = createApiKeyAuthenticator(refuseApiKey),
): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = ctx.logger
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT_BYTES,
    // HEAD requests must not call GET handlers, because these can have side effects, such as
    // consuming an emailed link.
    exposeHeadRoutes: false,
    // The drain counts the requests of the server, so that a shutdown can wait for them.
    serverFactory: (listener) => drain.createServer(listener),
    trustProxy: (_address, hop) => hop < ctx.config.http.trustedProxies,
    // Connections that remain after draining must not delay shutdown.
    forceCloseConnections: true,
    frameworkErrors: respondToUnroutable,
    // The URL is rewritten instead of adding a route below /a/: Fastify rejects a path with a too
    // long parameter as malformed, but such a path must get the 404 page.
    rewriteUrl: ({ url = '/' }) => url.replace(/^\/a\/([^/?]{1,100})\/image\.png(?=\?|$)/, '/alert-images/$1.png'),
  })
  acceptOnlyJson(app)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  const faultLimit = createLineLimit(systemScheduler, (kind, suppressed) =>
    ctx.logger.error({ kind, suppressed }, 'further errors were not logged'),
  )
  app.addHook('onClose', async () => faultLimit.close())
  installErrorEdge(app, securityLog, faultLimit)
  installRequestLog(app)
  const build = await readBuild(ctx.config.http.webDir)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // Lets open pages detect that a newer build is served.
    if (build !== null && request.url.startsWith('/api/')) reply.header('tocsin-build', build)
    done()
  })
  installSecurity(app, ctx.config)
  // Level 1, because higher levels take several times as long and save only a tenth of the size.
  await app.register(compress, { global: true, encodings: ['gzip'], zlibOptions: { level: 1, chunkSize: 64 * 1024 } })
  await app.register(cookie)
  await app.register(rateLimit, {
    store: RateLimitStore,
    // Hashed files have a higher limit, because a first visit loads about 40 of them, and all users
    // of an office can share one address.
    max: ({ url }) => (isHashedFile(url) ? FILES_PER_MINUTE : LIMITS.normal.max),
    keyGenerator: ({ url, ip }) => (isHashedFile(url) ? `files ${getNetwork(ip)}` : getNetwork(ip)),
    timeWindow: MINUTE_MS,
    // Requests with an API key have their own limit.
    allowList: (request) => readBearer(request) !== null,
    errorResponseBuilder: (_request, limit) =>
      new Refusal('too_many_requests', 'Too many attempts. Wait a little and try again.', {
        retryAfterSeconds: Math.ceil(limit.ttl / 1000),
      }),
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tocsin', version: ctx.config.version },
      components: { securitySchemes },
    },
    transform: jsonSchemaTransform,
  })
  const changes = new Quotas(CHANGES_PER_HOUR, HOUR_MS)
  await app.register(async (api) => {
    for (const route of routes) addRoute(api, ctx, route, { findActor, apiKeyAuthenticator }, changes, securityLog)
  })
  serveApiDocument(app)
  return app
}

/**
 * Accepts only JSON bodies, because other sites can post forms and plain text without a preflight
 * request. An empty JSON body counts as no body: endpoints without a payload accept it, and all
 * others reject it as malformed.
 */
function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else parseJson(request, text, done)
  })
  // Email clients unsubscribe with a form (RFC 8058). Its content is ignored, because the path
  // contains the token.
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data']) {
    app.addContentTypeParser<string>(type, { parseAs: 'string' }, (request, _text, done) => {
      if (isLinkCall(request.url)) done(null, undefined)
      else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type), undefined)
    })
  }
}

const createHeadersSchema = (creates: true | 'secret') =>
  z.looseObject({
    'idempotency-key': idempotencyKey.describe(keyTexts[creates === true ? 'usual' : creates]).optional(),
  })

const keyTexts = {
  usual: 'For 24 hours, the same key with the same content returns the first response and has no second effect.',
  secret:
    'For 24 hours, the same key with the same content has no second effect and returns 409 idempotency_secret: the secret in the first response was shown once and is not stored.',
}

function addRoute(
  app: FastifyInstance,
  ctx: Context,
  route: Route,
  callers: { findActor: FindActor; apiKeyAuthenticator: ApiKeyAuthenticator },
  changes: Quotas,
  securityLog: SecurityLog,
): void {
  const { endpoint, handle } = route
  const { method, path, limit, params, query, body, response, summary, responseType, status = 200 } = endpoint
  app.route({
    method,
    url: path,
    schema: {
      summary,
      ...describeEndpoint(endpoint),
      params,
      querystring: query,
      ...(method === 'GET' ? {} : { body }),
      ...(endpoint.creates ? { headers: createHeadersSchema(endpoint.creates) } : {}),
      // Redirects have no body.
      response:
        status === 302
          ? {}
          : { [status]: responseType ? { content: { [responseType]: { schema: response } } } : response },
    },
    config: { rateLimit: false },
    // Rate-limit before the session lookup. Authorize before validation, so that strangers learn
    // nothing about the parameters of admin routes.
    onRequest: [
      app.rateLimit(LIMITS[limit ?? 'normal']),
      async (request, reply) => {
        const actor = await findCaller(callers, endpoint, request, reply)
        assertAccess(endpoint, actor, ctx.clock.now())
        if (isCounted(endpoint)) consumeChange(changes, actor)
        request.actor = actor
      },
    ],
    // The caller is looked up again: a body may arrive half a minute later, and the session or its
    // rights may have ended.
    preValidation: async (request) => {
      if (method === 'GET' || request.actor === null || readBearer(request) !== null) return
      request.actor = await callers.findActor(request)
      assertAccess(endpoint, request.actor, ctx.clock.now())
    },
    onResponse: async (request, reply) => {
      if (changesRights(endpoint) && reply.statusCode < 400)
        securityLog.changed(createSecurityEvent(request), endpoint.access)
    },
    handler: async (request, reply) => {
      const input = {
        params: request.params,
        query: request.query,
        body: request.body,
        actor: request.actor,
        request,
        reply,
      }
      reply.code(status)
      if (responseType) reply.type(`${responseType}; charset=utf-8`)
      const key = endpoint.creates ? request.headers['idempotency-key'] : undefined
      if (typeof key === 'string') return runOnce(ctx, route, input as Input<Endpoint>, key)
      return handle(ctx, input as Input<Endpoint>)
    },
  })
}

/** Endpoints whose requests have a body but change nothing. */
const READS: readonly string[] = [endpoints.readChain.path, endpoints.previewRules.path]

/**
 * True if a request counts towards the limit of changes. Requests that end, revoke or delete
 * something or replace a password do not count. Otherwise a thief of the cookie could use up the
 * limit that the owner needs for them.
 */
function isCounted({ method, path, access, limit }: Endpoint): boolean {
  const isChange = method !== 'GET' && method !== 'DELETE' && !READS.includes(path)
  return isChange && access === 'account' && limit !== 'credential' && !path.startsWith('/api/auth/')
}

/** Counts a change of an account. Staff are not limited. */
function consumeChange(changes: Quotas, actor: Actor | null): void {
  if (actor === null || actor.permissions.length > 0) return
  const nowMs = performance.now()
  changes.deleteIdle(nowMs)
  if (changes.consume(actor.accountId, nowMs)) return
  const retryAfterSeconds = Math.ceil(changes.waitMs(actor.accountId, nowMs) / SECOND_MS)
  throw new Refusal('too_many_requests', 'Too many changes in an hour. Try again later.', { retryAfterSeconds })
}

/** Finds the caller of a request. With an API key, cookies are ignored. */
async function findCaller(
  { findActor, apiKeyAuthenticator }: { findActor: FindActor; apiKeyAuthenticator: ApiKeyAuthenticator },
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Actor | null> {
  const token = readBearer(request)
  if (token === null) return findActor(request)
  reply.header('www-authenticate', 'Bearer')
  const keyRequest = { network: getNetwork(request.ip), scope: endpoint.scope, cost: getCost(endpoint) }
  const actor = createKeyActor(await apiKeyAuthenticator.authenticate(token, keyRequest))
  reply.removeHeader('www-authenticate')
  return actor
}

/** True for sign-ins, changes to accounts, sessions, wallets and roles, and all admin changes. */
function changesRights({ method, path, access }: Endpoint): boolean {
  return method !== 'GET' && (access === 'admin' || /^\/api\/(auth|account|wallets|keys)\b/.test(path))
}

function assertAccess({ access, permission, recent }: Endpoint, actor: Actor | null, now: Date): void {
  if (access === 'public') return
  if (!actor) throw new Refusal('not_signed_in', 'Sign in first')
  if (access === 'admin' && actor.mustEnrol) {
    throw new Refusal('second_factor_required', 'Set up two-factor authentication to use the admin area.')
  }
  if (access === 'admin') assertPermitted(actor, permission)
  if (recent) assertRecentAuthentication(actor, now)
}

/**
 * Checks that the caller has the permission of an admin endpoint. If the endpoint declares no
 * permission, all callers are rejected.
 */
function assertPermitted({ permissions }: Actor, permission: Permission | undefined): void {
  if (permissions.length === 0) throw new Refusal('admin_required', 'Admin privileges required')
  if (permission === undefined || !permissions.includes(permission)) {
    throw new Refusal('permission_required', 'Your role does not allow this.')
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
  }
}
