import type { endpoints } from '@tocsin/protocol'
import { getAuditActor } from '../../audit-log.ts'
import { type Handler, requireActor } from '../../http/route.ts'
import { presentApiKey } from './present.ts'
import * as service from './service.ts'
import { listApiKeys as listRows } from './store.ts'

type Endpoints = typeof endpoints

export const listApiKeys: Handler<Endpoints['listApiKeys']> = async (ctx, input) =>
  (await listRows(ctx.db, requireActor(input).accountId)).map(presentApiKey)

export const createApiKey: Handler<Endpoints['createApiKey']> = async (ctx, input) => {
  const { key, secret } = await service.createApiKey(ctx, requireActor(input), getAuditActor(input), input.body)
  return { key: presentApiKey(key), secret }
}

export const revokeApiKey: Handler<Endpoints['revokeApiKey']> = async (ctx, input) => {
  await service.revokeApiKey(ctx, requireActor(input), getAuditActor(input), input.params.id)
  return { success: true, message: 'The key is revoked.' }
}
