import type { RequestBody } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { releaseHeld } from './held-store.ts'
import { nextDigestAt } from './quiet-hours.ts'
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
  const neededSettings = {
    ...(rules === undefined ? {} : { rules }),
    ...(quietHours === undefined ? {} : { quietHours }),
    ...(digest === undefined ? {} : { digest }),
  }
  if (Object.keys(neededSettings).length === 0) return
  const parts = [rules && 'rules', quietHours !== undefined && 'quiet hours', digest !== undefined && 'digest']
  const what = `${parts.filter(Boolean).join(', ')} changed`
  await changeDestination(ctx, owner, id, what, async (tx, destination) => {
    await store.updateDestination(tx, id, neededSettings)
    // Releases the held alerts. If quiet hours are running, they hold the alerts back again.
    if (digest !== undefined || quietHours !== undefined) {
      await releaseFrom(tx, { ...destination, ...neededSettings }, ctx.clock.now())
    }
    await ctx.notifications.notify(tx, 'channels')
    return `${destination.name}: ${what}`
  })
}

/**
 * Makes held alerts due at `at`. If the destination gets digests, makes them due at the first
 * digest after `at`.
 */
function releaseFrom(tx: Tx, { id, digest }: Pick<store.Destination, 'id' | 'digest'>, at: Date): Promise<void> {
  return releaseHeld(tx, id, digest === null ? at : nextDigestAt(digest, at))
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

async function releaseAfterMute(ctx: Context, tx: Tx, of: store.Destination, until: Date | null) {
  await releaseFrom(tx, of, until ?? ctx.clock.now())
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
    const states: store.Destination['state'][] =
      paused === undefined ? ['on', 'paused', 'failing'] : paused ? ['on', 'failing'] : ['paused']
    const destinations = await store.lockInStates(tx, accountId, states)
    for (const destination of destinations) {
      if (paused !== undefined) {
        const fresh = { failingSince: null, notBefore: null }
        await store.updateDestination(tx, destination.id, { state: paused ? 'paused' : 'on', ...fresh })
      }
      if (mutedUntil === undefined) continue
      const until = mutedUntil === null ? null : new Date(mutedUntil)
      await store.updateDestination(tx, destination.id, { mutedUntil: until })
      await releaseAfterMute(ctx, tx, destination, until)
    }
    if (destinations.length === 0) return 0
    const words = paused === undefined ? (mutedUntil ? 'muted' : 'unmuted') : paused ? 'paused' : 'resumed'
    const what = `all ${words}`
    const detail = `All destinations ${words}${mutedUntil ? ` until ${mutedUntil.slice(0, 16)}Z` : ''}`
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
    const own = await store.listDestinations(tx, accountId)
    if (ids.some((id) => !own.some((destination) => destination.id === id))) {
      throw new Refusal('not_found', 'Destination not found')
    }
    for (const { id } of own) {
      const step = ids.indexOf(id)
      await store.updateDestination(tx, id, { escalationStep: step < 0 ? null : step })
    }
    const detail = ids.length === 0 ? 'Escalation ended' : `Escalation over ${ids.length} destinations`
    await recordChange(tx, owner, { what: `escalation of ${ids.length}`, detail, at: ctx.clock.now() })
  })
}
