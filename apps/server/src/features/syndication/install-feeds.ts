import { MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { createEntityTag, hasTag } from '../../http/entity-tag.ts'
import { getNetwork } from '../../http/network.ts'
import { Quotas } from '../../quota.ts'
import { Refusal } from '../../refusal.ts'
import { readAccessOf } from '../access/read-access.ts'
import { hashSecret } from '../sessions/secret.ts'
import { listFeedItems } from './feed-items.ts'
import { findFeedAccess } from './private-feed.ts'
import { type Feed, type FeedFormat, feedFormats } from './render-feed.ts'

/**
 * Maximum number of requests of one network. Feed readers send one every few minutes. The limit
 * also slows down guesses of secrets.
 */
const PER_NETWORK = { max: 300, timeWindow: MINUTE_MS }
/** Maximum number of requests a minute for one private feed. */
const PER_PRIVATE_FEED = 20

/**
 * Serves the feeds. GET /feeds/alerts.{atom,rss,json}: alerts that are public after the delay. GET
 * /feeds/:secret/alerts.{atom,rss,json}: alerts that the account with this secret may read now.
 */
export function installFeeds(app: FastifyInstance, ctx: Context): void {
  const { publicUrl } = ctx.config.http
  const quotas = new Quotas(PER_PRIVATE_FEED, MINUTE_MS)
  const options = {
    schema: { hide: true },
    exposeHeadRoute: true,
    config: { rateLimit: false as const },
    preHandler: app.rateLimit({ ...PER_NETWORK, keyGenerator: ({ ip }) => `feeds ${getNetwork(ip)}` }),
  }
  app.get<{ Params: { file: string } }>('/feeds/:file', options, async (request, reply) => {
    const format = readFile(request.params.file)
    const items = await listFeedItems(ctx, readAccessOf(ctx, false))
    // Other sites may read the public feed.
    reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
    reply.header('cache-control', 'public, max-age=60')
    const id = `${publicUrl}/feeds/alerts`
    const selfUrl = `${id}.${format}`
    return send(request, reply, format, { id, title: 'Tocsin, public alerts', publicUrl, selfUrl, items })
  })
  app.get<{ Params: { secret: string; file: string } }>('/feeds/:secret/:file', options, async (request, reply) => {
    const { secret, file } = request.params
    const format = readFile(file)
    reply.header('cache-control', 'private, no-cache')
    consumeQuota(quotas, hashSecret(secret))
    const { accountId, access } = await findFeedAccess(ctx, secret)
    const items = await listFeedItems(ctx, access)
    // The id stays the same when the address with its secret is replaced.
    const id = `${publicUrl}/feeds/accounts/${accountId}`
    return send(request, reply, format, { id, title: 'Tocsin, my alerts', publicUrl, selfUrl: null, items })
  })
}

/** @throws Refusal not_found */
function readFile(file: string): FeedFormat {
  const [, extension] = /^alerts\.(atom|rss|json)$/.exec(file) ?? []
  // The cast is safe: the pattern allows only known formats.
  if (extension !== undefined) return extension as FeedFormat
  throw new Refusal('not_found', 'There is no feed at this address')
}

function consumeQuota(quotas: Quotas, key: string): void {
  const nowMs = performance.now()
  quotas.deleteIdle(nowMs)
  if (quotas.consume(key, nowMs)) return
  const retryAfterSeconds = Math.ceil(quotas.waitMs(key, nowMs) / SECOND_MS)
  throw new Refusal('too_many_requests', 'This feed is read too often. Try again later.', { retryAfterSeconds })
}

function send({ headers }: FastifyRequest, reply: FastifyReply, format: FeedFormat, feed: Feed) {
  const { type, render } = feedFormats[format]
  const text = render(feed)
  const tag = createEntityTag(text)
  reply.header('etag', tag)
  if (hasTag(headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.type(`${type}; charset=utf-8`).send(text)
}
