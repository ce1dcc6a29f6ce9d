import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import helmet from 'helmet'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'
import { allowKeysFromAnyOrigin, readBearer } from './bearer.ts'

/**
 * Policy of the proof worker. The worker connects to the RPC node of the anchor chain that the user
 * chooses, so any https: host is allowed; plain HTTP is limited to the user’s own machine. The
 * worker needs nothing from this site, so 'self' is not included. Pages can connect only to this
 * site and to the WalletConnect relay.
 */
export const proofWorkerPolicy =
  "default-src 'none'; connect-src https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/** Policy of the worker that recomputes the track record, which also compiles WebAssembly. */
export const recomputeWorkerPolicy = `${proofWorkerPolicy}; script-src 'wasm-unsafe-eval'`

/**
 * Trusted Types prevent strings from becoming HTML or scripts; script URLs must pass one of these
 * policies. The pages create them in apps/web/public/theme.js and
 * apps/web/src/features/proof/trust-worker-url.ts.
 */
const trustedTypesPolicies = ['tocsin-page', 'tocsin-worker']

/**
 * Policy of the embed, the only page that other sites may show in a frame. It runs its script and
 * the proof worker, and connects to nothing itself.
 */
const embedPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *; require-trusted-types-for 'script'; trusted-types tocsin-worker"

/**
 * Sets the headers of the embed. Do not call this for a page with a session, a form or a button
 * that changes something, because another site could trick its visitors into clicking it.
 */
export function allowEmbedding(reply: FastifyReply): void {
  reply
    .removeHeader('x-frame-options')
    .header('content-security-policy', embedPolicy)
    .header('cross-origin-resource-policy', 'cross-origin')
}

/** Disables browser features that no page uses, including in embedded content. */
const permissionsPolicy = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .concat('publickey-credentials-create=(self)', 'publickey-credentials-get=(self)')
  .join(', ')

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Sets security headers on every response and rejects writes that another site may have sent. */
export function installSecurity(app: FastifyInstance, config: Config): void {
  const headers = buildSecurityHeaders(config)
  const apiHeaders = { ...headers, 'cache-control': 'no-store', vary: 'Cookie, Authorization' }
  app.addHook('onRequest', (request, reply, done) => {
    // Uses the path of the route, because the router decodes paths: /%61pi/ is /api/ too.
    const path = request.routeOptions.url ?? request.url
    reply.headers(path.startsWith('/api/') ? apiHeaders : headers)
    done()
  })
  allowKeysFromAnyOrigin(app)
  app.addHook('onRequest', (request, _reply, done) => {
    // A request with an API key needs no check, because a browser never adds a key by itself.
    if (!READS.has(request.method) && !isLinkCall(request.url) && readBearer(request) === null)
      assertOwnOrigin(request, config.http.publicUrl)
    done()
  })
}

/** Builds the headers once, because Helmet would check and format all policies for each request. */
function buildSecurityHeaders(config: Config): Record<string, string> {
  const headers: Record<string, string> = { 'permissions-policy': permissionsPolicy }
  const https = config.http.publicUrl.startsWith('https:')
  // Uses only the origin, so that the setting cannot end this directive or add another one.
  const relayOrigins = config.walletConnect === null ? [] : [new URL(config.walletConnect.relayUrl).origin]
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // Icons of wallet extensions are data URIs (EIP-6963).
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        workerSrc: ["'self'"],
        connectSrc: ["'self'", config.http.publicUrl.replace(/^http/, 'ws'), ...relayOrigins],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: trustedTypesPolicies,
      },
    },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  setHeaders(response.req, response, () => {})
  for (const [name, value] of Object.entries(response.getHeaders())) headers[name] = String(value)
  return headers
}

const LINK_CALLS = ['/api/channels/unsubscribe/', '/api/channels/acknowledgements/']

/**
 * True for requests that are authorized only by the token in their path. Email clients and chats
 * send them, with forms and from other origins.
 */
export function isLinkCall(url: string): boolean {
  return LINK_CALLS.some((path) => url.startsWith(path))
}

type WriteRequest = { method: string; headers: IncomingHttpHeaders }

/**
 * The only accepted content type. Another site cannot send it without a preflight request, but it
 * can send some others, such as text/plain.
 */
const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * Rejects cross-site writes (CSRF). Browsers send Origin with every such request, and it must be
 * the origin of this site. A request without Origin comes from a program and is accepted unless
 * another header marks it as a cross-site browser request
 * (docs/decisions/2026-11-22-writes-without-origin.md).
 */
export function assertOwnOrigin(request: WriteRequest, publicUrl: string): void {
  const { headers } = request
  const fetchSite = headers['sec-fetch-site']
  const isOwnSite = fetchSite === undefined || fetchSite === 'same-origin'
  const hasOwnOrigin = headers.origin === undefined ? isFromProgram(request, publicUrl) : headers.origin === publicUrl
  if (hasOwnOrigin && isOwnSite) return
  throw new Refusal('foreign_origin', `This page was opened at another address. Open ${publicUrl} and try again there.`)
}

function isFromProgram({ method, headers }: WriteRequest, publicUrl: string): boolean {
  const { cookie, referer, 'content-type': type } = headers
  const isOwnReferer = referer === undefined || referer === publicUrl || referer.startsWith(`${publicUrl}/`)
  // Old browsers send a cross-site POST without Origin and Referer if it has no body or no content
  // type. So a POST with a cookie must have a content type.
  const mayLackContentType = method !== 'POST' || cookie === undefined
  return isOwnReferer && (type === undefined ? mayLackContentType : JSON_TYPE.test(type))
}
