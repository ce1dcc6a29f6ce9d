import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import { findLastDeliverySeq, loadDeliveries } from '../alerts/service.ts'
import { listChannelPreferences } from '../preferences/store.ts'
import { type Decision, decideDestination, findHold } from './decide-destination.ts'
import { getRank } from './destination.ts'
import { ESCALATION_REASON, planEscalation } from './escalation.ts'
import { findRecipients } from './recipients.ts'
import { completeRules, findExcludingRule, type SentAlert, type Subject, type TargetState } from './rules.ts'
import {
  type Destination,
  describeDestinationState,
  insertDeliveries,
  listConfirmed,
  listSentSince,
  listTargets,
  lockCursor,
  type NewChannelDelivery,
  saveCursor,
  saveNoPlanAt,
} from './store.ts'

const PAGE = 200
/**
 * Number of rows of a page that are inserted in chunks, so that the sender can start with one chunk
 * while the next one is inserted. Further rows of the page are inserted together.
 */
const MAX_ROWS_IN_CHUNKS = 2_560
const CHUNK = 256

export const NO_PLAN_REASON = 'No active plan'

/** Returns why a destination gets no message about an anchor now, or null if it gets one. */
export function findSkipReason(
  destination: Pick<Destination, 'state' | 'mutedUntil' | 'quietHours'>,
  now: Date,
): string | null {
  if (destination.state !== 'on') return describeDestinationState(destination.state)
  return findHold(destination, null, now) === null ? null : 'The destination was quiet'
}

/**
 * Adds a row for each new delivery and destination. Reads `deliveries` with a separate cursor and
 * in separate transactions, so that the live stream never waits for these writes.
 * @param onRows called after each chunk of rows but the last
 */
export async function enqueueDeliveries(ctx: Context, onRows = async () => {}): Promise<void> {
  while (await enqueuePage(ctx, onRows)) {}
}

/** @returns true if there may be further deliveries */
async function enqueuePage(ctx: Context, onRows: () => Promise<void>): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const cursor = await lockCursor(tx)
    if (cursor === null) {
      // At the first start, skip the existing deliveries: their alerts are not news.
      await saveCursor(tx, await findLastDeliverySeq(ctx))
      return false
    }
    const deliveries = await loadDeliveries(ctx, cursor.seq, PAGE)
    const lastDelivery = deliveries.at(-1)
    if (!lastDelivery) return false
    const confirmedDestinations = await listConfirmed(tx)
    const inputs = await readInputs(ctx, tx, confirmedDestinations, deliveries, cursor.seq)
    const decidedRows = deliveries.flatMap((issuedDelivery) => decideAll(inputs, issuedDelivery))
    // An alert is not sent to accounts without a plan, so their rows are inserted last and do not
    // delay the rows of alerts that are sent.
    const isWithoutPlan = ({ reason }: NewChannelDelivery) => reason === NO_PLAN_REASON
    const rowsWithoutPlan = selectFirstOfEachHour(decidedRows.filter(isWithoutPlan), confirmedDestinations)
    const rows = [...decidedRows.filter((row) => !isWithoutPlan(row)), ...rowsWithoutPlan]
    let sending = Promise.resolve()
    for (let from = 0; from < Math.min(rows.length, MAX_ROWS_IN_CHUNKS); from += CHUNK) {
      // The rows are committed before the cursor. If saving the cursor fails, the next run inserts
      // the missing rows.
      await Promise.all([insertDeliveries(ctx.db, rows.slice(from, from + CHUNK)), sending])
      sending = from + CHUNK < rows.length ? onRows() : Promise.resolve()
    }
    await Promise.all([insertDeliveries(tx, rows.slice(MAX_ROWS_IN_CHUNKS)), sending])
    const lastRowWithoutPlan = rowsWithoutPlan.at(-1)
    if (lastRowWithoutPlan) {
      const ids = rowsWithoutPlan.map(({ destinationId }) => destinationId)
      await saveNoPlanAt(tx, [...new Set(ids)], lastRowWithoutPlan.createdAt)
    }
    await saveCursor(tx, lastDelivery.seq)
    return deliveries.length === PAGE
  })
}

/**
 * Without a plan, the delivery ledger lists only the first alert of each hour: an account that pays
 * nothing must not add rows with every alert.
 * @param rows of destinations without a plan, oldest first
 */
function selectFirstOfEachHour(
  rows: readonly NewChannelDelivery[],
  confirmedDestinations: readonly ConfirmedDestination[],
): NewChannelDelivery[] {
  const toHour = (at: Date) => Math.floor(at.getTime() / HOUR_MS)
  const listedHours = new Map(confirmedDestinations.map(({ id, noPlanAt }) => [id, noPlanAt && toHour(noPlanAt)]))
  return rows.filter(({ destinationId, createdAt }) => {
    const hour = toHour(createdAt)
    if (listedHours.get(destinationId) === hour) return false
    listedHours.set(destinationId, hour)
    return true
  })
}

type ConfirmedDestination = Awaited<ReturnType<typeof listConfirmed>>[number]

/**
 * Values that the decisions of a page depend on. `sent` has only destinations with limits, and each
 * decision to send an alert adds the alert to `sent`.
 */
interface DecisionInputs {
  now: Date
  destinations: readonly ConfirmedDestination[]
  recipients: ReadonlyMap<string, unknown>
  /** Only accounts whose rules use the watchlist. */
  preferences: ReadonlyMap<string, { watchlist: string[] }>
  sent: ReadonlyMap<string, SentAlert[]>
  /**
   * Whether each destination was sent an alert or holds it for a digest, by log index and then by
   * destination id. Contains the alerts that entries of this page of deliveries correct or retract.
   * Decisions about these alerts within the page are added to the map.
   */
  targets: ReadonlyMap<number, Map<string, TargetState>>
}

async function readInputs(
  ctx: Context,
  tx: Tx,
  destinations: ConfirmedDestination[],
  deliveries: readonly IssuedDelivery[],
  seq: number,
): Promise<DecisionInputs> {
  const now = ctx.clock.now()
  const firstAt = deliveries[0]?.at ?? now
  const accountIds = [...new Set(destinations.map(({ accountId }) => accountId))]
  const limitedDestinations = destinations.filter(
    ({ rules: { coolDownMinutes, mostPerHour } }) => coolDownMinutes || mostPerHour,
  )
  const windowStarts = limitedDestinations.map(({ id, rules }) => {
    const limitMs = Math.max(HOUR_MS, (rules.coolDownMinutes ?? 0) * MINUTE_MS)
    return { id, at: new Date(firstAt.getTime() - limitMs) }
  })
  const sentByDestination = new Map(limitedDestinations.map(({ id }): [string, SentAlert[]] => [id, []]))
  for (const { destinationId, ...sentAlert } of await listSentSince(tx, windowStarts, seq))
    sentByDestination.get(destinationId)?.push(sentAlert)
  const indexes = deliveries.flatMap(({ alert }) => alert.targetIndex ?? [])
  const targets = new Map(indexes.map((index): [number, Map<string, TargetState>] => [index, new Map()]))
  for (const { logIndex, destinationId, target } of indexes.length > 0 ? await listTargets(tx, indexes) : []) {
    targets.get(logIndex)?.set(destinationId, target)
  }
  return {
    now,
    destinations,
    recipients: await findRecipients(ctx, accountIds),
    preferences: await listChannelPreferences(
      tx,
      destinations.flatMap(({ rules, accountId }) => (rules.watchlist ? [accountId] : [])),
    ),
    sent: sentByDestination,
    targets,
  }
}

function decideAll(inputs: DecisionInputs, issuedDelivery: IssuedDelivery): NewChannelDelivery[] {
  const { alert, isOutcome, at } = issuedDelivery
  // Only destinations that have chosen outcomes get them. Accounts without a plan get no row for an
  // outcome, because it would reveal that the fresh entry is an outcome.
  const decisions = inputs.destinations
    .filter(({ events, accountId }) => !isOutcome || (events.includes('outcome') && inputs.recipients.has(accountId)))
    .map((destination) => ({ destination, decision: decide(inputs, destination, issuedDelivery) }))
  for (const { destination, decision } of decisions) {
    const { asset, anomalyType } = alert
    const isCounted = decision.state === 'waiting' && alert.kind === 'alert' && !isOutcome
    if (isCounted) inputs.sent.get(destination.id)?.push({ at, asset, anomalyType })
    if (decision.state === 'skipped' || isOutcome) continue
    inputs.targets.get(alert.logIndex)?.set(destination.id, decision.state === 'held' ? 'held' : 'sent')
  }
  const delays =
    alert.priority === 'critical' && alert.kind === 'alert' && !isOutcome ? planEscalations(decisions) : new Map()
  // If the clock was set back after the entry was written, count the delays from the earlier time.
  const fromMs = Math.min(at.getTime(), inputs.now.getTime())
  return decisions.map(({ destination: { id }, decision }): NewChannelDelivery => {
    const delayMs = delays.get(id)
    return {
      destinationId: id,
      logIndex: issuedDelivery.logIndex,
      event: isOutcome ? 'outcome' : 'alert',
      seq: issuedDelivery.seq,
      rank: getRank(alert.priority),
      state: decision.state,
      reason: delayMs === undefined ? decision.reason : ESCALATION_REASON,
      createdAt: at,
      nextAt: decision.state === 'held' ? decision.until : new Date(fromMs + (delayMs ?? 0)),
      isEscalation: delayMs !== undefined,
    }
  })
}

function decide(
  inputs: DecisionInputs,
  destination: ConfirmedDestination,
  { alert, isOutcome, at }: IssuedDelivery,
): Decision {
  const { id, accountId, state, rules, mutedUntil, quietHours, digest } = destination
  if (!inputs.recipients.has(accountId)) return { state: 'skipped', reason: NO_PLAN_REASON }
  const watchlist = inputs.preferences.get(accountId)?.watchlist ?? []
  const target = inputs.targets.get(alert.targetIndex ?? -1)?.get(id) ?? null
  const subject: Subject = { ...alert, isOutcome, target }
  const settings = { rules: completeRules(rules), watchlist, mutedUntil, quietHours, digest }
  if (state !== 'on') {
    // The rules are checked first, because an alert that they exclude does not count as missed.
    const reason = findExcludingRule(settings.rules, watchlist, subject) ?? describeDestinationState(state)
    return { state: 'skipped', reason }
  }
  return decideDestination(settings, subject, at, inputs.now, inputs.sent.get(id) ?? [])
}

/**
 * Returns the escalation delays by destination. Considers only destinations that get the alert
 * immediately.
 */
function planEscalations(
  decisions: readonly { destination: ConfirmedDestination; decision: Decision }[],
): Map<string, number> {
  const immediateDestinations = decisions.flatMap(({ destination, decision }) =>
    decision.state === 'waiting' ? [destination] : [],
  )
  const accountIds = new Set(
    immediateDestinations.flatMap(({ accountId, escalationStep }) => (escalationStep === null ? [] : [accountId])),
  )
  return new Map(
    [...accountIds].flatMap((id) => [
      ...planEscalation(immediateDestinations.filter(({ accountId }) => accountId === id)),
    ]),
  )
}
