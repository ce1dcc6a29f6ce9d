import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'

/**
 * What the proof worker may reach: nodes of the anchor chain, which the reader of a proof chooses. The pages themselves reach this site
 * alone. Plain HTTP only to the reader's own machine. The worker needs nothing of this site, so 'self' is not among them.
 */
export const proofWorkerPolicy =
  "default-src 'none'; connect-src https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'"

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Headers on everything, and on every write the proof that it comes from our own pages. */
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
      },
    },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store').header('vary', 'Cookie')
    if (!READS.has(request.method)) assertOwnOrigin(request.headers, config.http.publicUrl)
  })
}

/**
 * A browser always names the page a write comes from; a forged form or a foreign page can't hide it. Programs send the Origin header
 * themselves.
 */
export function assertOwnOrigin(headers: Record<string, string | string[] | undefined>, publicUrl: string): void {
  const site = headers['sec-fetch-site']
  if (headers.origin !== publicUrl || (site !== undefined && site !== 'same-origin')) {
    throw new Refusal('foreign_origin', `Requests that change something must come from ${publicUrl}`)
  }
}
