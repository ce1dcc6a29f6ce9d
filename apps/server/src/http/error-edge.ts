import type { ErrorBody, RefusalCode } from '@tocsin/protocol'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isDatabaseBusy, isDatabaseUnavailable } from '../db/unavailable.ts'
import { Refusal } from '../refusal.ts'
import type { LineLimit } from './line-limit.ts'
import { getNetwork } from './network.ts'
import type { SecurityEvent, SecurityLog } from './security-log.ts'

type ErrorResponse = { status: number; code: RefusalCode } & Omit<ErrorBody, 'success' | 'requestId' | 'code'>

/**
 * Maps every error to a response: 400 for malformed input, 4xx for refusals, and 500 without
 * details for faults.
 */
export function installErrorEdge(app: FastifyInstance, securityLog: SecurityLog, faults: LineLimit): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, ...response } = toErrorResponse(error)
    if (status >= 500 && faults.admits(formatLimitKey(request, response.code)))
      request.log.error({ err: error }, 'request failed with a server error')
    securityLog.refused(response.code, createSecurityEvent(request))
    if (typeof response.details?.retryAfterSeconds === 'number')
      reply.header('retry-after', response.details.retryAfterSeconds)
    const body: ErrorBody = { success: false, ...response, requestId: request.id }
    return reply.code(status).type('application/json').send(JSON.stringify(body))
  })
}

/**
 * Returns the kind of log line, for the limit of lines per kind. Faults are limited for each route,
 * so that one route cannot hide the faults of another. Unavailability affects all routes alike, so
 * it has one limit for all routes.
 */
function formatLimitKey({ method, routeOptions }: FastifyRequest, code: RefusalCode): string {
  return code === 'fault' ? `fault of ${method} ${routeOptions.url ?? 'an unknown route'}` : code
}

export function createSecurityEvent({ id, method, url, ip, actor }: FastifyRequest): SecurityEvent {
  return { requestId: id, method, url, network: getNetwork(ip), accountId: actor?.accountId }
}

/**
 * Responds to requests that cannot be routed because the URL is too long or cannot be decoded. No
 * hook has run for such a request, so this function sets the security headers.
 */
export function respondToUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, ...response } = toErrorResponse(error)
  const body: ErrorBody = { success: false, ...response, requestId: request.id }
  reply
    .code(status)
    .headers({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-request-id': request.id,
    })
    .type('application/json')
    .send(JSON.stringify(body))
}

function toErrorResponse(error: FastifyError): ErrorResponse {
  if (error instanceof Refusal) {
    const { status, code, message, details } = error
    const isLinkTokenError = code === 'token_expired' || code === 'token_invalid'
    const expiredField = isLinkTokenError ? { expired: code === 'token_expired' } : {}
    return { status, code, message, ...expiredField, ...(details ? { details } : {}) }
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.map((issue) => ({
      path: issue.instancePath.replace(/^\//, '').replaceAll('/', '.'),
      message: issue.message?.replace(/, received undefined$/, ', but it is missing') ?? 'Invalid',
    }))
    const [first] = issues
    const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'The request is malformed'
    return { status: 400, code: 'malformed', message, issues }
  }
  if (isDatabaseBusy(error)) return { ...databaseBusyResponse }
  if (isDatabaseUnavailable(error)) return { ...databaseAwayResponse }
  return { ...(frameworkResponses[error.statusCode ?? 500] ?? frameworkFault) }
}

const frameworkFault = {
  status: 500,
  code: 'fault',
  message: 'Something went wrong on our side',
} satisfies ErrorResponse

const createErrorResponse = (status: number, code: RefusalCode, message: string): ErrorResponse => ({
  status,
  code,
  message,
})

const databaseAwayResponse = createErrorResponse(
  503,
  'unavailable',
  'Not available right now. Please try again in a moment.',
)

const databaseBusyResponse = createErrorResponse(
  503,
  'unavailable',
  'Another operation is holding this up. Please try again in a moment.',
)

/** Responses to requests that Fastify rejects before a handler runs. */
const frameworkResponses: Record<number, ErrorResponse> = {
  400: createErrorResponse(400, 'malformed', 'The request is malformed'),
  404: createErrorResponse(404, 'not_found', 'Not found'),
  413: createErrorResponse(400, 'too_large', 'The request is too large'),
  414: createErrorResponse(400, 'malformed', 'The address is too long'),
  415: createErrorResponse(415, 'unsupported_media_type', 'Send JSON with content-type application/json'),
  503: createErrorResponse(503, 'unavailable', 'Not available right now'),
}
