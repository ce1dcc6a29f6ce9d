import type { RequestBody } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { releaseHeld } from './held-store.ts'
import { computeNextDigestAt } from './quiet-hours.ts'
import { type Owner, recordChange } from './record-change.ts'
import { changeDestination } from './service.ts'
import * as store from './store.ts'

type Change = Pick<RequestBody<'changeDestination'>, 'rules' | 'quietHours' | 'digest'>

/**
 * Saves which alerts a destination gets, and when.
 * @throws Refusal not_found
 */
export async function changeDeliverySettings(
  ctx: Context,
  owner: Owner,
  id: string,
  { rules, quietHours, digest }: Change,
) {
  const changedSettings = {
    ...(rules === undefined ? {} : { rules }),
    ...(quietHours === undefined ? {} : { quietHours }),
    ...(digest === undefined ? {} : { digest }),
  }
  if (Object.keys(changedSettings).length === 0) return
  const changedParts = [rules && 'rules', quietHours !== undefined && 'quiet hours', digest !== undefined && 'digest']
  const what = `${changedParts.filter(Boolean).join(', ')} changed`
  await changeDestination(ctx, owner, id, what, async (tx, destination) => {
    await store.updateDestination(tx, id, changedSettings)
    // Releases the held alerts. If quiet hours are running, they hold the alerts back again.
    if (digest !== undefined || quietHours !== undefined) {
      await releaseHeldFrom(tx, { ...destination, ...changedSettings }, ctx.clock.now())
    }
    await ctx.notifications.notify(tx, 'channels')
    return `${destination.name}: ${what}`
  })
}

/**
 * Makes held alerts due at `at`. If the destination gets digests, makes them due at the first
 * digest after `at`.
 */
function releaseHeldFrom(tx: Tx, { id, digest }: Pick<store.Destination, 'id' | 'digest'>, at: Date): Promise<void> {
  return releaseHeld(tx, id, digest === null ? at : computeNextDigestAt(digest, at))
}

/**
 * Mutes a destination until a time, or ends the mute. When a mute ends, the alerts that it held
 * back are sent as a digest, even if they were held back by an earlier, longer mute.
 * @throws Refusal not_found
 */
export async function muteDestination(ctx: Context, owner: Owner, id: string, until: Date | null): Promise<void> {
  await changeDestination(ctx, owner, id, until === null ? 'unmuted' : 'muted', async (tx, destination) => {
    await store.updateDestination(tx, id, { mutedUntil: until })
    await releaseAfterMute(ctx, tx, destination, until)
    return until === null
      ? `${destination.name} unmuted`
      : `${destination.name} muted until ${until.toISOString().slice(0, 16)}Z`
  })
}

async function releaseAfterMute(ctx: Context, tx: Tx, destination: store.Destination, until: Date | null) {
  await releaseHeldFrom(tx, destination, until ?? ctx.clock.now())
  await ctx.notifications.notify(tx, 'channels')
}

/** Mutes, unmutes, pauses or resumes all destinations that have been confirmed. */
export async function changeAllDestinations(
  ctx: Context,
  owner: Owner,
  { mutedUntil, paused }: RequestBody<'changeAllDestinations'>,
): Promise<number> {
  const { accountId } = owner
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const changeableStates: store.Destination['state'][] =
      paused === undefined ? ['on', 'paused', 'failing'] : paused ? ['on', 'failing'] : ['paused']
    const destinations = await store.lockInStates(tx, accountId, changeableStates)
    for (const destination of destinations) {
      if (paused !== undefined) {
        const healthColumns = { failingSince: null, notBefore: null }
        await store.updateDestination(tx, destination.id, { state: paused ? 'paused' : 'on', ...healthColumns })
      }
      if (mutedUntil === undefined) continue
      const until = mutedUntil === null ? null : new Date(mutedUntil)
      await store.updateDestination(tx, destination.id, { mutedUntil: until })
      await releaseAfterMute(ctx, tx, destination, until)
    }
    if (destinations.length === 0) return 0
    const stateText = paused === undefined ? (mutedUntil ? 'muted' : 'unmuted') : paused ? 'paused' : 'resumed'
    const what = `all ${stateText}`
    const detail = `All destinations ${stateText}${mutedUntil ? ` until ${mutedUntil.slice(0, 16)}Z` : ''}`
    await recordChange(tx, owner, { what, detail, at: ctx.clock.now() })
    await ctx.notifications.notify(tx, 'channels')
    return destinations.length
  })
}

/**
 * Sets the order in which destinations get critical alerts that are not acknowledged.
 * @throws Refusal not_found
 */
export async function setEscalation(ctx: Context, owner: Owner, ids: readonly string[]): Promise<void> {
  const { accountId } = owner
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const ownDestinations = await store.listDestinations(tx, accountId)
    if (ids.some((id) => !ownDestinations.some((destination) => destination.id === id))) {
      throw new Refusal('not_found', 'Destination not found')
    }
    for (const { id } of ownDestinations) {
      const step = ids.indexOf(id)
      await store.updateDestination(tx, id, { escalationStep: step < 0 ? null : step })
    }
    const detail = ids.length === 0 ? 'Escalation ended' : `Escalation over ${ids.length} destinations`
    await recordChange(tx, owner, { what: `escalation of ${ids.length}`, detail, at: ctx.clock.now() })
  })
}
