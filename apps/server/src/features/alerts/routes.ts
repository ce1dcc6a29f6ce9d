import { type ClaimedAlert, verifyAlert as verifyProof } from '@tocsin/proof'
import type { endpoints, PastedAlert } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { type Handler, type Input, signedIn } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { publicUntil } from './alert.ts'
import { readChainEvidence } from './chain-evidence.ts'
import {
  presentAdminAlert,
  presentAlert,
  presentPublicAlert,
  presentUnknownAlert,
  presentVerification,
} from './present.ts'
import { type AppendEntry, broadcastAlert as broadcast, issueAlert } from './service.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

/** The running subscription of an account, or null. */
export type FindEntitlement = (ctx: Context, accountId: string) => Promise<object | null>

const ADMIN_LIST_LIMIT = 1_000
const USER_LIST_LIMIT = 1_000

export async function createAlert(ctx: Context, input: Input<Endpoints['createAlert']>, appendEntry: AppendEntry) {
  const { asset, priority, anomalyType, regime, summary, confidence, broadcast } = input.body
  const content = { asset, priority, anomalyType, regime, summary, confidence }
  const { alert } = await issueAlert(ctx, appendEntry, { content, origin: 'admin', broadcast })
  return { alert: presentAdminAlert(alert), broadcast }
}

export const broadcastAlert: Handler<Endpoints['broadcastAlert']> = async (ctx, { params }) =>
  presentAdminAlert(await broadcast(ctx, params.id))

export const listAlerts: Handler<Endpoints['listAlerts']> = async (ctx) =>
  (await store.listAllAlerts(ctx.db, ADMIN_LIST_LIMIT)).map(presentAdminAlert)

export async function recentAlerts(
  ctx: Context,
  input: Input<Endpoints['recentAlerts']>,
  findEntitlement: FindEntitlement,
) {
  const { accountId, isAdmin } = signedIn(input)
  const isEntitled = isAdmin || (await findEntitlement(ctx, accountId)) !== null
  const publicAt = publicUntil(ctx.clock.now(), ctx.config.publicDelayHours)
  const alerts = await store.listShownAlerts(ctx.db, publicAt, input.query.limit)
  return alerts.map((alert) => (isEntitled ? presentAlert(alert) : presentPublicAlert(alert, publicAt)))
}

export async function userAlerts(
  ctx: Context,
  input: Input<Endpoints['userAlerts']>,
  findEntitlement: FindEntitlement,
) {
  const actor = signedIn(input)
  const { userId } = input.params
  const isOwn = userId === actor.accountId
  if (!isOwn && !(actor.isAdmin && isUuid(userId))) throw new Refusal('not_found', 'There is no such user')
  const readsAll = (isOwn && actor.isAdmin) || (await findEntitlement(ctx, userId)) !== null
  const publicAt = publicUntil(ctx.clock.now(), ctx.config.publicDelayHours)
  const list = readsAll ? store.listShownAlerts : store.listPublicAlerts
  const alerts = await list(ctx.db, publicAt, USER_LIST_LIMIT)
  const read = await store.listRead(
    ctx.db,
    userId,
    alerts.map(({ id }) => id),
  )
  return alerts.map((alert) => ({ id: alert.id, alert: presentAlert(alert), isRead: read.has(alert.id) }))
}

export const markAlertsRead: Handler<Endpoints['markAlertsRead']> = async (ctx, input) => {
  await store.insertReads(ctx.db, signedIn(input).accountId, input.body.ids.filter(isUuid), ctx.clock.now())
  return { success: true, message: 'Marked as read' }
}

export const verifyAlert: Handler<Endpoints['verifyAlert']> = async (ctx, { body, actor }) => {
  const claim = body.alert ? toClaim(body.alert) : await findClaim(ctx, body.alertId)
  if (!claim) return presentUnknownAlert()
  const alert: ClaimedAlert = {
    ...claim,
    id: body.alertId,
    signature: body.signature,
    merklePath: body.merklePath,
    // A form has no way to say "none yet" but to leave the field empty.
    avalancheTx: body.avalancheTx === '' ? null : body.avalancheTx,
  }
  const evidence = await readChainEvidence(ctx, alert.avalancheTx, alert.treeSize)
  const { chainId, contract } = ctx.config.anchor
  const domain = { chainId, verifyingContract: contract }
  const verification = verifyProof({ alert, domain, trustedSigners: [ctx.signer.address], evidence })
  if (actor && verification.verdict === 'verified') await recordVerification(ctx, actor.accountId, alert)
  return presentVerification(verification, evidence)
}

async function findClaim(ctx: Context, id: string): Promise<ClaimedAlert | null> {
  const stored = isUuid(id) ? await store.findAlert(ctx.db, id) : null
  if (!stored) return null
  return toClaim(presentAlert(stored))
}

/** On the wire the statement's index is called logIndex. */
function toClaim({ logIndex, ...alert }: PastedAlert): ClaimedAlert {
  return { ...alert, index: logIndex }
}

async function recordVerification(ctx: Context, accountId: string, alert: ClaimedAlert): Promise<void> {
  const place = `#${Number(alert.index).toLocaleString('en-US')}`
  await recordActivity(ctx.db, {
    accountId,
    kind: 'alert_verified',
    detail: `${place}, 6 of 6 checks`,
    reference: String(alert.id),
    at: ctx.clock.now(),
  })
}
