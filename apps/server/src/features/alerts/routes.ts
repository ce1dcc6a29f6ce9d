import { type ClaimedAlert, readAnchorEvidence, verifyAlert as verifyProof } from '@tocsin/proof'
import type { endpoints, PastedAlert } from '@tocsin/protocol'
import { hasActivity, recordActivity } from '../../activity-log.ts'
import { coalescePerContext } from '../../coalesce.ts'
import type { Context } from '../../context.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findReadAccess, findVisibility, readAccessOf } from '../access/read-access.ts'
import type { ReadAccess, Visibility } from '../access/readable.ts'
import { findAccount, lockAccount } from '../sessions/account-store.ts'
import { getProofDomain } from '../tlog/proof-domain.ts'
import { listPublishedKeys } from '../tlog/service.ts'
import { anchorChainRpc } from './anchor-chain.ts'
import { encodeAlerts } from './encoded-alerts.ts'
import { listMissingFields, presentIncomplete } from './incomplete-alert.ts'
import { presentAlert, presentUnknownAlert, presentVerification } from './present.ts'
import { notifyOtherDevices } from './read-state.ts'
import { listRead } from './read-store.ts'
import { findReader } from './reader.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

const USER_LIST_LIMIT = 1_000

export async function recentAlerts(ctx: Context, input: Input<Endpoints['recentAlerts']>): Promise<string> {
  const { subscribed } = await findReadAccess(ctx, input.actor)
  return findRecent(ctx, { subscribed, limit: input.query.limit })
}

/** Returns the recent alerts. Concurrent callers with the same rights share one read. */
const findRecent = coalescePerContext(async (ctx: Context, requests: { subscribed: boolean; limit: number }[]) => {
  const lists = new Map<string, Promise<string>>()
  const findList = ({ subscribed, limit }: (typeof requests)[number]) => {
    const key = `${subscribed} ${limit}`
    const list = lists.get(key) ?? encodeRecent(ctx, readAccessOf(ctx, subscribed), limit)
    lists.set(key, list)
    return list
  }
  return Promise.all(requests.map(findList))
})

async function encodeRecent(ctx: Context, access: ReadAccess, limit: number): Promise<string> {
  const alerts = await encodeAlerts(ctx, access, await store.listShownRows(ctx.db, access, limit))
  return `[${alerts.map(({ json }) => json).join(',')}]`
}

export async function userAlerts(ctx: Context, input: Input<Endpoints['userAlerts']>): Promise<string> {
  const actor = requireActor(input)
  const { userId } = input.params
  const isOwn = userId === actor.accountId
  const mayReadOthers = (['alerts.read', 'users.read'] as const).every((name) => actor.permissions.includes(name))
  const isFound = isOwn || (mayReadOthers && isUuid(userId) && (await findAccount(ctx.db, userId)) !== undefined)
  if (!isFound) throw new Refusal('not_found', 'User not found')
  const reader = await findReader(ctx, { accountId: userId, permissions: isOwn ? actor.permissions : [] })
  const rows = await store.listShownRows(ctx.db, reader, USER_LIST_LIMIT)
  const ids = rows.map(({ id }) => id)
  const [alerts, readIds] = await Promise.all([encodeAlerts(ctx, reader, rows), listRead(ctx.db, reader, ids)])
  const items = alerts.map(({ id, json }) => `{"id":${JSON.stringify(id)},"alert":${json},"isRead":${readIds.has(id)}}`)
  return `[${items.join(',')}]`
}

export const markAlertsRead: Handler<Endpoints['markAlertsRead']> = async (ctx, input) => {
  const reader = requireActor(input)
  const visibility = await findVisibility(ctx, reader)
  const { ids, verified = false } = input.body
  await store.insertReads(ctx.db, visibility, reader.accountId, ids.filter(isUuid), ctx.clock.now(), verified)
  await notifyOtherDevices(ctx, reader)
  return { success: true, message: 'Marked as read' }
}

/**
 * POST /api/alerts/verify. The response is the same for the id of an alert that the caller may not
 * read as for an unknown id. A different response would confirm a guessed id or content.
 */
export const verifyAlert: Handler<Endpoints['verifyAlert']> = async (ctx, { body, actor }) => {
  const visibility = await findVisibility(ctx, actor)
  const claim = await findClaim(ctx, visibility, body.alertId, body.alert)
  if (!claim) return presentUnknownAlert()
  const alert: ClaimedAlert = {
    ...claim,
    id: body.alertId,
    signature: body.signature,
    merklePath: body.merklePath,
    // HTML forms send an empty field for "none".
    avalancheTx: body.avalancheTx === '' ? null : body.avalancheTx,
  }
  const domain = getProofDomain(ctx)
  const [keys, evidence] = await Promise.all([
    listPublishedKeys(ctx),
    readAnchorEvidence(anchorChainRpc(ctx), domain, alert.avalancheTx, alert.treeSize),
  ])
  const missingFields = listMissingFields(alert)
  if (missingFields.length > 0) return presentIncomplete(alert, missingFields, evidence)
  const verification = verifyProof({ alert, domain, keys, evidence })
  if (actor && verification.verdict === 'verified') await recordVerification(ctx, actor.accountId, alert)
  return presentVerification(verification, evidence)
}

/**
 * Returns the pasted alert, completed from the stored alert. Returns the stored alert if none was
 * pasted, or null if neither exists.
 */
async function findClaim(
  ctx: Context,
  visibility: Visibility,
  id: string,
  pasted: PastedAlert | undefined,
): Promise<ClaimedAlert | null> {
  const claim = pasted && toClaim(pasted)
  // A pasted alert without a salt may be a complete copy of version 1, or a copy of version 2 that
  // lacks the salt. It is completed from the stored alert.
  if (claim && 'salt' in claim && listMissingFields(claim).length === 0) return claim
  const storedAlert = isUuid(id) ? await store.findAlert(ctx.db, visibility, id) : null
  if (!storedAlert) return claim ?? null
  return { ...toClaim(presentAlert(storedAlert)), ...claim }
}

/**
 * Converts a pasted alert: the API calls the statement's index `logIndex`. Absent fields stay
 * absent.
 */
function toClaim({ logIndex, ...alert }: PastedAlert): ClaimedAlert {
  const claim = { ...alert, index: logIndex }
  return Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== undefined))
}

/**
 * Records only the first verification of an alert by an account, so that the activity log stays
 * short.
 */
async function recordVerification(ctx: Context, accountId: string, alert: ClaimedAlert): Promise<void> {
  const alertNumber = `#${Number(alert.index).toLocaleString('en-US')}`
  const activity = { accountId, kind: 'alert_verified', reference: String(alert.id) } as const
  if (await hasActivity(ctx.db, activity)) return
  await ctx.db.transaction(async (tx) => {
    // Without the lock, concurrent requests would each find no entry and add one.
    if (!(await lockAccount(tx, accountId)) || (await hasActivity(tx, activity))) return
    await recordActivity(tx, { ...activity, detail: `${alertNumber}, 6 of 6 checks`, at: ctx.clock.now() })
  })
}
