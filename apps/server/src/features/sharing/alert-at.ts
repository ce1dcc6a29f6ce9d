import { bytesToHex } from '@tocsin/proof'
import type { Alert, AlertAt } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { readAccessOf } from '../access/read-access.ts'
import { createReadableCondition, type ReadAccess } from '../access/readable.ts'
import { makeAlertBundle } from '../alerts/alert-bundle.ts'
import { presentAlert } from '../alerts/present.ts'
import { findOutcomeMessage, findShownAlert, findSignalMessage, type StoredAlert } from '../alerts/store.ts'

/**
 * The access that the token of a shared link grants. Null if there is no token, or if it grants
 * nothing.
 */
type Disclosure = ReadAccess | null

/**
 * Returns the parts of the alert at a log index that the caller may read. For an alert that is
 * neither broadcast nor public, the response is the same as for an index without an alert.
 * @param disclosure the access that the token of a shared link grants
 * @throws Refusal not_found
 */
export async function findAlertAt(
  ctx: Context,
  index: number,
  readAccess: ReadAccess = readAccessOf(ctx, false),
  disclosure: Disclosure = null,
): Promise<AlertAt> {
  const foundAlert = await findShownAlert(ctx.db, readAccess, index)
  const access = foundAlert && decideAccess(foundAlert, readAccess, disclosure)
  // The token is ignored if the alert is public, because it would also disclose later corrections.
  const visibility = access === 'shared' && disclosure ? disclosure : readAccess
  const storedAlert = visibility === readAccess ? foundAlert : await findShownAlert(ctx.db, visibility, index)
  if (!storedAlert || !access) throw new Refusal('not_found', 'There is no alert at this index of the log')
  const publicAt = new Date(storedAlert.createdAt.getTime() + ctx.config.publicDelayHours * HOUR_MS).toISOString()
  if (access === 'withheld') {
    const { priority, createdAt, logIndex, leafHash } = storedAlert
    const shownFields = { priority, createdAt: createdAt.toISOString(), logIndex, leafHash: bytesToHex(leafHash) }
    return { access, ...shownFields, publicAt }
  }
  const alert = presentAlert(storedAlert)
  const { outcome } = alert
  const [bundle, signal, outcomeMessage] = await Promise.all([
    makeAlertBundle(ctx, access === 'shared' ? hideSupersedingId(alert) : alert),
    findSignalMessage(ctx.db, visibility, storedAlert.id),
    outcome ? findOutcomeMessage(ctx.db, createReadableCondition(visibility), outcome.messageHash) : null,
  ])
  return { access, publicAt, bundle, message: signal?.message ?? null, outcomeMessage }
}

/** Returns the public part of the alert at a log index, or null if there is no alert. */
export async function findPublicAlertAt(ctx: Context, index: number): Promise<AlertAt | null> {
  try {
    return await findAlertAt(ctx, index)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  }
}

function decideAccess(storedAlert: StoredAlert, readAccess: ReadAccess, disclosure: Disclosure) {
  if (storedAlert.createdAt <= readAccess.publicCutoff) return 'public'
  if (readAccess.subscribed) return 'subscriber'
  return disclosure ? 'shared' : 'withheld'
}

/**
 * Replaces the id of a later entry that corrects or retracts the alert. A token discloses only one
 * alert: its readers learn that the later entry exists, but the id is part of that entry's content.
 */
function hideSupersedingId({ supersededBy, ...alert }: Alert): Alert {
  return { ...alert, supersededBy: supersededBy && { ...supersededBy, id: `locked-${supersededBy.logIndex}` } }
}
