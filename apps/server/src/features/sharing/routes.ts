import type { endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import { findReadAccess } from '../access/read-access.ts'
import { findAlertAt } from './alert-at.ts'
import * as service from './service.ts'

type Endpoints = typeof endpoints

export const alertAt: Handler<Endpoints['alertAt']> = async (ctx, { params, actor }) => {
  return findAlertAt(ctx, params.index, await findReadAccess(ctx, actor))
}

/**
 * POST /api/alerts/at/:index/shared. The response to an unknown or expired token, or to a token of
 * another alert, is the same as without a token.
 */
export const openSharedAlert: Handler<Endpoints['openSharedAlert']> = async (ctx, { params, body, actor }) => {
  const [access, disclosure] = await Promise.all([
    findReadAccess(ctx, actor),
    service.findDisclosedAccess(ctx, params.index, body.token),
  ])
  return findAlertAt(ctx, params.index, access, disclosure)
}

export const shareAlert: Handler<Endpoints['shareAlert']> = async (ctx, input) => {
  const { logIndex, token, until } = await service.createShare(ctx, requireActor(input), input.params.id)
  return { logIndex, token, until: until?.toISOString() ?? null }
}

export const endShares: Handler<Endpoints['endShares']> = async (ctx, input) => {
  const endedCount = await service.endShares(ctx, requireActor(input), input.params.id)
  return { success: true, message: endedCount === 0 ? 'There are no links to revoke' : 'The links are revoked' }
}
