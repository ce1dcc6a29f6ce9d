import { Refusal } from '@tocsin/server/refusal.ts'
import type { FastifyInstance } from 'fastify'
import { getAddress } from 'viem'
import { z } from 'zod'
import type { Faucet } from './faucet.ts'
import { isPublicChainMethod } from './public-chain-methods.ts'

const rpcRequest = z
  .object({ jsonrpc: z.literal('2.0'), id: z.union([z.number(), z.string()]), method: z.string() })
  .loose()

const faucetRequest = z.strictObject({
  walletAddress: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((address) => getAddress(address)),
})

interface DemoSources {
  publicUrl: string
  chainUrl: string
  faucet: Faucet
  listOutbox(): Promise<unknown[]>
}

/**
 * Routes of the demo only: the email outbox, a faucet of play tokens, and a proxy to the local
 * chain on the page's own origin.
 */
export function installDemoRoutes(
  app: FastifyInstance,
  { publicUrl, chainUrl, faucet, listOutbox }: DemoSources,
): void {
  const { host, port } = new URL(publicUrl)
  // Redirect pages under other local host names to PUBLIC_URL. Cookies and the origin check are
  // bound to it, so sign-in would fail under another name.
  const otherHosts = new Set(
    ['localhost', '127.0.0.1', '[::1]']
      .map((name) => (port === '' ? name : `${name}:${port}`))
      .filter((name) => name !== host),
  )
  app.addHook('onRequest', async (request, reply) => {
    const isPage =
      request.method === 'GET' && request.headers.accept?.includes('text/html') && request.url.startsWith('/')
    if (isPage && otherHosts.has(request.headers.host ?? '')) return reply.redirect(`${publicUrl}${request.url}`)
  })
  app.get('/dev/outbox.json', { schema: { hide: true } }, async (request, reply) => {
    // The outbox needs no session, so other host names are rejected to prevent DNS rebinding.
    if (request.headers.host !== host) throw new Refusal('not_found', 'Not found')
    reply.header('cache-control', 'no-store')
    return listOutbox()
  })
  app.post(
    '/dev/faucet',
    { schema: { hide: true }, config: { rateLimit: { max: 10, timeWindow: 3_600_000 } } },
    async (request) => {
      const body = faucetRequest.safeParse(request.body)
      if (!body.success)
        throw new Refusal('malformed', 'Expected the address of a wallet: 0x and 40 hexadecimal digits')
      return faucet.dispense(body.data.walletAddress)
    },
  )
  app.post(
    '/dev/chain',
    { schema: { hide: true }, config: { rateLimit: { max: 3_000, timeWindow: 60_000 } } },
    async (request) => {
      const body = z.union([rpcRequest, z.array(rpcRequest).max(50)]).safeParse(request.body)
      const calls = body.success ? [body.data].flat() : []
      if (calls.length === 0 || !calls.every(({ method }) => isPublicChainMethod(method))) {
        throw new Refusal('malformed', 'Expected JSON-RPC 2.0 calls that read the chain or send signed transactions')
      }
      const response = await fetch(chainUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request.body),
        signal: AbortSignal.timeout(15_000),
      })
      return response.json()
    },
  )
}
