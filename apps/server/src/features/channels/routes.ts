import type { endpoints } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { type Handler, requireActor } from '../../http/route.ts'
import { findReadAccess } from '../access/read-access.ts'
import { acknowledgeAlert as acknowledge } from './acknowledge.ts'
import { listAcknowledgements as listAcknowledged } from './acknowledgement-store.ts'
import * as deliverySettings from './delivery-settings.ts'
import { listDeliveryAlerts } from './ledger-alerts.ts'
import * as links from './message-links.ts'
import { presentDelivery, presentDestination } from './present.ts'
import { previewRules as preview } from './preview-rules.ts'
import { renewPush as renew } from './push/renew-push.ts'
import { getOwner } from './record-change.ts'
import * as service from './service.ts'
import { listLedger, listDestinations as listRows, readHealth } from './store.ts'
import * as tests from './test-destination.ts'

type Endpoints = typeof endpoints

const HEALTH_MS = 7 * DAY_MS

export const listDestinations: Handler<Endpoints['listDestinations']> = async (ctx, input) => {
  const rows = await listRows(ctx.db, requireActor(input).accountId)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const health = await readHealth(ctx.db, ids, new Date(ctx.clock.now().getTime() - HEALTH_MS))
  return rows.map((row) => presentDestination(row, health.get(row.id)))
}

export const createDestination: Handler<Endpoints['createDestination']> = async (ctx, input) => {
  const { destination, secret } = await service.createDestination(ctx, getOwner(input), input.body)
  return { destination: presentDestination(destination), secret }
}

export const changeDestination: Handler<Endpoints['changeDestination']> = async (ctx, input) => {
  await deliverySettings.changeSettings(ctx, getOwner(input), input.params.id, input.body)
  const { paused } = input.body
  if (paused === undefined) return { success: true, message: 'The destination is changed.' }
  return { success: true, message: paused ? 'The destination is paused.' : 'The destination gets new alerts again.' }
}

export const renewPush: Handler<Endpoints['renewPush']> = async (ctx, input) => {
  await renew(ctx, getOwner(input), input.body)
  return { success: true, message: 'The subscription is renewed.' }
}

export const changeAllDestinations: Handler<Endpoints['changeAllDestinations']> = async (ctx, input) => {
  const count = await deliverySettings.changeAllDestinations(ctx, getOwner(input), input.body)
  return { success: true, message: count === 1 ? '1 destination is changed.' : `${count} destinations are changed.` }
}

export const setEscalation: Handler<Endpoints['setEscalation']> = async (ctx, input) => {
  await deliverySettings.setEscalation(ctx, getOwner(input), input.body.ids)
  return { success: true, message: 'The escalation is saved.' }
}

export const previewRules: Handler<Endpoints['previewRules']> = (ctx, input) =>
  preview(ctx, requireActor(input), input.body)

export const listAcknowledgements: Handler<Endpoints['listAcknowledgements']> = async (ctx, input) => {
  const since = new Date(ctx.clock.now().getTime() - HEALTH_MS)
  const rows = await listAcknowledged(ctx.db, requireActor(input).accountId, since)
  return rows.map(({ logIndex, at }) => ({ logIndex, at: at.toISOString() }))
}

export const acknowledgeAlert: Handler<Endpoints['acknowledgeAlert']> = async (ctx, input) => {
  const { logIndex } = input.body
  const at = await acknowledge(ctx, requireActor(input), logIndex)
  return { logIndex, at: at.toISOString() }
}

export const acknowledgeByLink: Handler<Endpoints['acknowledgeByLink']> = async (ctx, input) => {
  await links.acknowledgeByLink(ctx, input.params.token)
  return { success: true, message: 'The alert is acknowledged.' }
}

export const unsubscribe: Handler<Endpoints['unsubscribe']> = async (ctx, input) => {
  await links.unsubscribe(ctx, input.params.token)
  return { success: true, message: 'This address no longer receives mails of this kind.' }
}

export const deleteDestination: Handler<Endpoints['deleteDestination']> = async (ctx, input) => {
  await service.deleteDestination(ctx, getOwner(input), input.params.id)
  return { success: true, message: 'The destination and its ledger are deleted.' }
}

export const confirmDestination: Handler<Endpoints['confirmDestination']> = (ctx, input) =>
  tests.confirmDestination(ctx, getOwner(input), input.params.id, input.body?.code)

export const testDestination: Handler<Endpoints['testDestination']> = (ctx, input) =>
  tests.testDestination(ctx, getOwner(input), input.params.id)

export const rotateDestinationSecret: Handler<Endpoints['rotateDestinationSecret']> = async (ctx, input) => {
  const { secret, previousUntil } = await service.rotateDestinationSecret(ctx, getOwner(input), input.params.id)
  return { secret, previousUntil: previousUntil.toISOString() }
}

export const listChannelDeliveries: Handler<Endpoints['listChannelDeliveries']> = async (ctx, input) => {
  const actor = requireActor(input)
  const { id } = await service.getDestination(ctx, actor, input.params.id)
  const rows = await listLedger(ctx.db, id, input.query)
  const ids = rows.map((row) => row.id)
  const alerts = await listDeliveryAlerts(ctx.db, await findReadAccess(ctx, actor), ids)
  return rows.map((row) => presentDelivery(row, alerts.get(row.id) ?? null))
}

export const redeliver: Handler<Endpoints['redeliver']> = async (ctx, input) => {
  const count = await service.redeliver(ctx, getOwner(input), input.params.id, input.body)
  const message = count === 0 ? 'There was nothing to send again.' : `${count} will be sent again.`
  return { success: true, message }
}
