import type { endpoints } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { type Handler, signedIn } from '../../http/route.ts'
import { presentDelivery, presentDestination } from './present.ts'
import { renewPush as renew } from './push/renew-push.ts'
import * as service from './service.ts'
import { listLedger, listDestinations as listRows, readHealth } from './store.ts'
import * as tests from './test-destination.ts'

type Endpoints = typeof endpoints

const HEALTH_MS = 7 * DAY_MS

export const listDestinations: Handler<Endpoints['listDestinations']> = async (ctx, input) => {
  const rows = await listRows(ctx.db, signedIn(input).accountId)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const health = await readHealth(ctx.db, ids, new Date(ctx.clock.now().getTime() - HEALTH_MS))
  return rows.map((row) => presentDestination(row, health.get(row.id)))
}

export const createDestination: Handler<Endpoints['createDestination']> = async (ctx, input) => {
  const { destination, secret } = await service.createDestination(ctx, signedIn(input), input.body)
  return { destination: presentDestination(destination), secret }
}

export const changeDestination: Handler<Endpoints['changeDestination']> = async (ctx, input) => {
  const { paused, name, mutedUntil, events } = input.body
  const actor = signedIn(input)
  if (name !== undefined) await service.renameDestination(ctx, actor, input.params.id, name)
  if (mutedUntil !== undefined) {
    const until = mutedUntil === null ? null : new Date(mutedUntil)
    await service.muteDestination(ctx, actor, input.params.id, until)
  }
  if (events !== undefined) await service.chooseEvents(ctx, actor, input.params.id, events)
  if (paused === undefined) return { success: true, message: 'The destination is changed.' }
  await service.pauseDestination(ctx, actor, input.params.id, paused)
  return { success: true, message: paused ? 'The destination is paused.' : 'The destination gets new alerts again.' }
}

export const renewPush: Handler<Endpoints['renewPush']> = async (ctx, input) => {
  await renew(ctx, signedIn(input), input.body)
  return { success: true, message: 'The subscription is renewed.' }
}

export const deleteDestination: Handler<Endpoints['deleteDestination']> = async (ctx, input) => {
  await service.deleteDestination(ctx, signedIn(input), input.params.id)
  return { success: true, message: 'The destination and its ledger are deleted.' }
}

export const confirmDestination: Handler<Endpoints['confirmDestination']> = (ctx, input) =>
  tests.confirmDestination(ctx, signedIn(input), input.params.id, input.body?.code)

export const testDestination: Handler<Endpoints['testDestination']> = (ctx, input) =>
  tests.testDestination(ctx, signedIn(input), input.params.id)

export const rotateDestinationSecret: Handler<Endpoints['rotateDestinationSecret']> = async (ctx, input) => {
  const { secret, previousUntil } = await service.rotateDestinationSecret(ctx, signedIn(input), input.params.id)
  return { secret, previousUntil: previousUntil.toISOString() }
}

export const listChannelDeliveries: Handler<Endpoints['listChannelDeliveries']> = async (ctx, input) => {
  const { id } = await service.getDestination(ctx, signedIn(input), input.params.id)
  return (await listLedger(ctx.db, id, input.query)).map(presentDelivery)
}

export const redeliver: Handler<Endpoints['redeliver']> = async (ctx, input) => {
  const count = await service.redeliver(ctx, signedIn(input), input.params.id, input.body)
  const message = count === 0 ? 'There was nothing to send again.' : `${count} will be sent again.`
  return { success: true, message }
}
