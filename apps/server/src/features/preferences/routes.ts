import type { endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import * as service from './service.ts'
import * as store from './store.ts'

export const findPreferences: Handler<(typeof endpoints)['findPreferences']> = (ctx, input) =>
  store.findPreferences(ctx.db, requireActor(input).accountId)

export const savePreferences: Handler<(typeof endpoints)['savePreferences']> = (ctx, input) =>
  service.savePreferences(ctx, requireActor(input), input.body)
