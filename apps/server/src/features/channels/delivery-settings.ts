import type { RequestBody } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { releaseHeld } from './held-store.ts'
import { computeNextDigestAt } from './quiet-hours.ts'
import { type Owner, recordChange } from './record-change.ts'
import { applyChange, chooseEvents, pauseDestination, renameDestination, type Target } from './service.ts'
import * as store from './store.ts'

/**
 * Makes all changes of a request, or none of them if one is refused.
 * @throws Refusal not_found, kind_not_offered, destination_not_on
 */
export async function changeSettings(
  ctx: Context,
  owner: Owner,
  id: string,
  { paused, name, mutedUntil, events, ...deliverySettings }: RequestBody<'changeDestination'>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const target: Target = { tx, owner, id }
    if (name !== undefined) await renameDestination(ctx, target, name)
    if (mutedUntil !== undefined) await muteDestination(ctx, target, parseTime(mutedUntil))
    if (events !== undefined) await chooseEvents(ctx, target, events)
    await changeDeliverySettings(ctx, target, deliverySettings)
    if (paused !== undefined) await pauseDestination(ctx, target, paused)
  })
}

const parseTime = (time: string | null) => (time === null ? null : new Date(time))

type Change = Pick<RequestBody<'changeDestination'>, 'rules' | 'quietHours' | 'digest'>

/** Saves which alerts a destination gets, and when. */
async function changeDeliverySettings(ctx: Context, target: Target, { rules, quietHours, digest }: Change) {
  const changedSettings = {
    ...(rules === undefined ? {} : { rules }),
    ...(quietHours === undefined ? {} : { quietHours }),
    ...(digest === undefined ? {} : { digest }),
  }
  if (Object.keys(changedSettings).length === 0) return
  const changedParts = [rules && 'rules', quietHours !== undefined && 'quiet hours', digest !== undefined && 'digest']
  const what = `${changedParts.filter(Boolean).join(', ')} changed`
  await applyChange(ctx, target, what, async (tx, destination) => {
    await store.updateDestination(tx, destination.id, changedSettings)
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
 */
async function muteDestination(ctx: Context, target: Target, until: Date | null): Promise<void> {
  await applyChange(ctx, target, until === null ? 'unmuted' : 'muted', async (tx, destination) => {
    await saveMute(ctx, tx, destination, until)
    await ctx.notifications.notify(tx, 'channels')
    return until === null
      ? `${destination.name} unmuted`
      : `${destination.name} muted until ${until.toISOString().slice(0, 16)}Z`
  })
}

async function saveMute({ clock }: Context, tx: Tx, destination: store.Destination, until: Date | null): Promise<void> {
  await store.updateDestination(tx, destination.id, { mutedUntil: until })
  await releaseHeldFrom(tx, destination, until ?? clock.now())
}

/**
 * Mutes, unmutes, pauses or resumes all destinations that have been confirmed.
 * @returns the number of destinations that were changed
 */
export async function changeAllDestinations(
  ctx: Context,
  owner: Owner,
  { mutedUntil, paused }: RequestBody<'changeAllDestinations'>,
): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const destinations = await store.lockAccountDestinations(tx, owner.accountId)
    const listInStates = (...states: store.Destination['state'][]) =>
      destinations.filter(({ state }) => states.includes(state))
    const changedIds = new Set<string>()
    const changeTexts: string[] = []
    if (paused !== undefined) {
      for (const { id } of paused ? listInStates('on', 'failing') : listInStates('paused')) {
        await store.updateDestination(tx, id, { state: paused ? 'paused' : 'on', failingSince: null, notBefore: null })
        changedIds.add(id)
      }
      changeTexts.push(paused ? 'paused' : 'resumed')
    }
    if (mutedUntil !== undefined) {
      for (const destination of listInStates('on', 'paused', 'failing')) {
        await saveMute(ctx, tx, destination, parseTime(mutedUntil))
        changedIds.add(destination.id)
      }
      changeTexts.push(mutedUntil === null ? 'unmuted' : 'muted')
    }
    if (changedIds.size === 0) return 0
    const changes = changeTexts.join(' and ')
    const detail = `All destinations ${changes}${mutedUntil ? ` until ${mutedUntil.slice(0, 16)}Z` : ''}`
    await recordChange(tx, owner, { what: `all ${changes}`, detail, at: ctx.clock.now() })
    await ctx.notifications.notify(tx, 'channels')
    return changedIds.size
  })
}

/**
 * Sets the order in which destinations get critical alerts that are not acknowledged.
 * @throws Refusal not_found
 */
export async function setEscalation(ctx: Context, owner: Owner, ids: readonly string[]): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const ownDestinations = await store.lockAccountDestinations(tx, owner.accountId)
    if (ids.some((id) => !ownDestinations.some((destination) => destination.id === id))) {
      throw new Refusal('not_found', 'Destination not found')
    }
    for (const { id } of ownDestinations) {
      const step = ids.indexOf(id)
      await store.updateDestination(tx, id, { escalationStep: step < 0 ? null : step })
    }
    const detail =
      ids.length === 0
        ? 'Escalation ended'
        : `Escalation set for ${ids.length} ${ids.length === 1 ? 'destination' : 'destinations'}`
    await recordChange(tx, owner, { what: `escalation of ${ids.length}`, detail, at: ctx.clock.now() })
  })
}
