import type { AlertView, endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import * as service from './service.ts'
import { listViews, type ViewRow } from './store.ts'

type Endpoints = typeof endpoints

export const listAlertViews: Handler<Endpoints['listAlertViews']> = async (ctx, input) =>
  (await listViews(ctx.db, requireActor(input).accountId)).map(presentView)

export const createAlertView: Handler<Endpoints['createAlertView']> = async (ctx, input) =>
  presentView(await service.createView(ctx, requireActor(input), input.body))

export const changeAlertView: Handler<Endpoints['changeAlertView']> = async (ctx, input) =>
  presentView(await service.updateView(ctx, requireActor(input), input.params.id, input.body))

export const deleteAlertView: Handler<Endpoints['deleteAlertView']> = async (ctx, input) => {
  await service.deleteView(ctx, requireActor(input), input.params.id)
  return { success: true, message: 'The view is deleted.' }
}

function presentView({ id, name, filter, createdAt }: ViewRow): AlertView {
  return { id, name, filter, createdAt: createdAt.toISOString() }
}
