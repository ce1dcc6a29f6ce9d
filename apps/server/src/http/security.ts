import type { IncomingHttpHeaders } from 'node:http'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'

/**
 * What the proof worker may reach: nodes of the anchor chain, which the reader of a proof chooses. The pages themselves reach this site
 * alone. Plain HTTP only to the reader's own machine. The worker needs nothing of this site, so 'self' is not among them.
 */
export const proofWorkerPolicy =
  "default-src 'none'; connect-src https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/**
 * With Trusted Types no text becomes HTML or a script, and script addresses pass one of these policies. The pages create
 * them in apps/web/public/theme.js and apps/web/src/features/proof/trust-worker-url.ts.
 */
const trustedTypesPolicies = ['tocsin-page', 'tocsin-worker']

/** Browser features that no page of ours uses are off, for our pages and for whatever they would embed. */
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
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Sets security headers on every answer and rejects writes that a foreign page may have sent. */
export async function installSecurity(app: FastifyInstance, config: Config): Promise<void> {
  const https = config.http.publicUrl.startsWith('https:')
  // A setting's origin alone: nothing that could end this directive or begin another.
  const relay = config.walletConnect === null ? [] : [new URL(config.walletConnect.relayUrl).origin]
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // Icons of installed wallets come as data URIs (EIP-6963).
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        workerSrc: ["'self'"],
        connectSrc: ["'self'", config.http.publicUrl.replace(/^http/, 'ws'), ...relay],
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
  app.addHook('onRequest', async (request, reply) => {
    reply.header('permissions-policy', permissionsPolicy)
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store').header('vary', 'Cookie')
    if (!READS.has(request.method)) assertOwnOrigin(request, config.http.publicUrl)
  })
}

type WriteRequest = { method: string; headers: IncomingHttpHeaders }

/** Content types that a foreign page can post without a preflight request are refused, whatever else the request says. */
const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * Rejects writes that a foreign page could have made a browser send. Browsers attach Origin to every such request, so it must
 * be ours. A request without Origin comes from a program: it passes only if nothing else marks it as a browser's request
 * from elsewhere (docs/decisions/2026-11-22-writes-without-origin.md).
 */
export function assertOwnOrigin(request: WriteRequest, publicUrl: string): void {
  const { headers } = request
  const site = headers['sec-fetch-site']
  const isOwnSite = site === undefined || site === 'same-origin'
  const isOwn = headers.origin === undefined ? isFromProgram(request, publicUrl) : headers.origin === publicUrl
  if (isOwn && isOwnSite) return
  throw new Refusal('foreign_origin', `This page was opened at another address. Open ${publicUrl} and try again there.`)
}

function isFromProgram({ method, headers }: WriteRequest, publicUrl: string): boolean {
  const { cookie, referer, 'content-type': type } = headers
  const isOwnReferer = referer === undefined || referer === publicUrl || referer.startsWith(`${publicUrl}/`)
  // Old browsers send a foreign page's POST without a body, or with one of no type, without Origin and Referer too.
  const mayLackType = method !== 'POST' || cookie === undefined
  return isOwnReferer && (type === undefined ? mayLackType : JSON_TYPE.test(type))
}
