import type { endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import { getOwner } from '../channels/record-change.ts'
import { createPrivateFeed as create, revokePrivateFeed as revoke } from './private-feed.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

const present = ({ createdAt, lastReadAt }: store.PrivateFeedRow) => ({
  createdAt: createdAt.toISOString(),
  lastReadAt: lastReadAt?.toISOString() ?? null,
})

export const findPrivateFeed: Handler<Endpoints['findPrivateFeed']> = async (ctx, input) => {
  const feed = await store.findPrivateFeed(ctx.db, requireActor(input).accountId)
  return { feed: feed ? present(feed) : null }
}

export const createPrivateFeed: Handler<Endpoints['createPrivateFeed']> = async (ctx, input) => {
  const { feed, secret } = await create(ctx, getOwner(input))
  return { feed: present(feed), url: `${ctx.config.http.publicUrl}/feeds/${secret}/alerts.atom` }
}

export const revokePrivateFeed: Handler<Endpoints['revokePrivateFeed']> = async (ctx, input) => {
  await revoke(ctx, getOwner(input))
  return { success: true, message: 'The private feed is revoked.' }
}
