import type { endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import * as service from './service.ts'

export const findPreferences: Handler<(typeof endpoints)['findPreferences']> = (ctx, input) =>
  service.getPreferences(ctx, requireActor(input).accountId)

export const savePreferences: Handler<(typeof endpoints)['savePreferences']> = (ctx, input) =>
  service.savePreferences(ctx, requireActor(input), input.body)
