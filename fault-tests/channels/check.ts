import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { activities } from '@tocsin/server/db/schema/accounts.ts'
import { destinations } from '@tocsin/server/db/schema/channels.ts'
import { NO_PLAN_REASON } from '@tocsin/server/features/channels/enqueue-deliveries.ts'
import { readHealth } from '@tocsin/server/features/channels/store.ts'
import { groupBy } from '../group-by.ts'
import type { Fixture } from './fixture.ts'
import { countOwnerMails } from './job.ts'
import { ENDING_ACCOUNT, getOwnerEmail, type SimulatedDestination } from './members.ts'
import type { IssuedAlert, Observations, ReceivedMessage, Result } from './seen.ts'

type Row = Awaited<ReturnType<Fixture['listDeliveries']>>[number]

/** Everything that the checks compare. `rows` are the rows of the delivery ledger. */
interface LedgerFindings extends Observations {
  rows: readonly Row[]
  history: readonly { accountId: string; detail: string; atMs: number }[]
  stateById: ReadonlyMap<string, string>
  alertByIndex: ReadonlyMap<number, IssuedAlert>
}

/** Compares the delivery ledger with the messages that endpoints and owners have received. */
export async function checkChannels(fixture: Fixture, observations: Observations): Promise<Result> {
  const { db } = fixture.ctx
  const rows = await fixture.listDeliveries()
  const history = (await db.select().from(activities)).map(({ accountId, detail, at }) => ({
    accountId,
    detail: detail ?? '',
    atMs: at.getTime(),
  }))
  const states = await db.select({ id: destinations.id, state: destinations.state }).from(destinations)
  const findings: LedgerFindings = {
    ...observations,
    rows,
    history,
    stateById: new Map(states.map(({ id, state }) => [id, state])),
    alertByIndex: new Map(observations.issued.map((alert) => [alert.logIndex, alert])),
  }
  const problems = [
    ...checkDeliveriesEnded(findings),
    ...checkPairs(findings),
    ...(await checkSums(fixture, findings)),
    ...observations.members.flatMap((member) => checkArrivals(findings, member)),
    ...observations.members.flatMap((member) => checkDigests(findings, member)),
    ...checkDeliverySettings(findings),
    ...observations.members.flatMap((member) => checkFate(findings, member)),
    ...checkNotices(findings, await countOwnerMails(fixture.ctx)),
    ...checkEscalation(findings),
    ...(observations.kills.includes('not all') ? ['Not all kills happened'] : []),
  ]
  return {
    alerts: observations.issued.length,
    destinations: observations.members.length,
    deliveries: rows.length,
    states: countBy(rows, ({ state }) => state),
    requests: observations.requests.length,
    arrived: countArrived(findings),
    kills: [...observations.kills],
    problems,
  }
}

function countBy<Item>(items: readonly Item[], getKey: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[getKey(item)] = (counts[getKey(item)] ?? 0) + 1
  return counts
}

function countArrived({ arrivals, members }: LedgerFindings): Result['arrived'] {
  const counts: Result['arrived'] = {}
  const seenKeys = new Set<string>()
  for (const { to, form, id } of arrivals) {
    const kind = members[to - 1]?.kind ?? ''
    const key = form === 'alert' || form === 'digest' ? `${form} by ${kind}` : form
    const count = counts[key] ?? { messages: 0, repetitions: 0 }
    count.messages += 1
    if (seenKeys.has(id)) count.repetitions += 1
    seenKeys.add(id)
    counts[key] = count
  }
  return counts
}

const getHour = (at: Date) => Math.floor(at.getTime() / HOUR_MS)
const getName = ({ number, kind }: SimulatedDestination) => `${kind} ${number}`
const getMember = ({ members }: LedgerFindings, row: Row) => members.find(({ id }) => id === row.destinationId)

/** Checks that every delivery has ended, with a reason that fits the destination. */
function checkDeliveriesEnded(findings: LedgerFindings): string[] {
  return findings.rows.flatMap((row) => {
    const member = getMember(findings, row)
    const deliveryName = `Delivery ${row.id} (${member ? getName(member) : '?'}, #${row.logIndex})`
    if (row.state === 'waiting' || row.state === 'held')
      return [`${deliveryName} never ended: ${row.state}, ${row.reason}`]
    if (row.reason === '') return [`${deliveryName} has no reason`]
    const isSkipAllowed =
      /^Replaced by #/.test(row.reason) ||
      member?.allowedSkipReasons?.test(row.reason) === true ||
      isAnchorOfDigest(findings, row)
    return row.state === 'skipped' && !isSkipAllowed ? [`${deliveryName} was skipped: ${row.reason}`] : []
  })
}

/**
 * True if the row announces the anchor of an alert that is in a digest. Any alert may be in one: an
 * alert that is too old when a killed sender restarts is moved to a digest.
 */
function isAnchorOfDigest({ rows }: LedgerFindings, { event, reason, destinationId, logIndex }: Row): boolean {
  return (
    event === 'anchored' &&
    reason === 'The alert is in a digest' &&
    rows.some(
      (row) =>
        row.event === 'alert' &&
        row.destinationId === destinationId &&
        row.logIndex === logIndex &&
        row.digestId !== null,
    )
  )
}

/**
 * Checks that there is exactly one row for each alert and destination. Alerts after the destination
 * was gone need no row. While an account has no plan, only the first alert of each hour has a row.
 */
function checkPairs({ rows, members, issued, requests, alertByIndex }: LedgerFindings): string[] {
  return members.flatMap((member) => {
    const alertRows = rows.filter(({ destinationId, event }) => destinationId === member.id && event === 'alert')
    const goneAtMs =
      member.fate === 'gone'
        ? Math.max(...requests.flatMap(({ to, atMs }) => (to === member.number ? [atMs] : [])))
        : Number.POSITIVE_INFINITY
    const expected = issued.filter(({ atMs }) => atMs <= goneAtMs).map(({ logIndex }) => logIndex)
    const rowIndexes = alertRows.map(({ logIndex }) => logIndex)
    const noPlanIndexByHour = new Map(
      alertRows
        .filter(({ reason }) => reason === NO_PLAN_REASON)
        .map(({ logIndex, createdAt }) => [getHour(createdAt), logIndex]),
    )
    const isUnlisted = (index: number) => {
      const atMs = alertByIndex.get(index)?.atMs ?? 0
      return member.account === ENDING_ACCOUNT && (noPlanIndexByHour.get(getHour(new Date(atMs))) ?? index) < index
    }
    const hasExpectedRows =
      new Set(rowIndexes).size === rowIndexes.length &&
      expected.every((index) => rowIndexes.includes(index) !== isUnlisted(index))
    return hasExpectedRows ? [] : [`${getName(member)} has ${rowIndexes.length} rows for ${expected.length} alerts`]
  })
}

/** Checks that the stored counts of attempts and of states match the rows. */
async function checkSums(fixture: Fixture, { rows, members }: LedgerFindings): Promise<string[]> {
  const recordedAttempts = countBy(await fixture.listAttempts(), ({ deliveryId }) => String(deliveryId))
  const attempts = rows.flatMap(({ id, attempts: counted, isRedelivery }) => {
    const count = recordedAttempts[id] ?? 0
    // Attempts before the owner requested the redelivery are recorded, but not counted in the row.
    return count === counted || (isRedelivery && count > counted)
      ? []
      : [`Delivery ${id} counts ${counted} of ${count}`]
  })
  const ids = members.map(({ id }) => id)
  const health = [...(await readHealth(fixture.ctx.db, ids, new Date(0))).values()]
  const states = (['delivered', 'skipped', 'dead', 'waiting', 'held'] as const).flatMap((state) => {
    const sum = health.reduce((total, { counts }) => total + counts[state], 0)
    const count = rows.filter((row) => row.state === state).length
    return sum === count ? [] : [`The health counts ${sum} ${state} of ${count}`]
  })
  return [...attempts, ...states]
}

/**
 * Checks that the deliveries recorded as delivered have arrived, and no others. A message may
 * arrive twice only after a kill, and then with the same id.
 */
function checkArrivals(findings: LedgerFindings, member: SimulatedDestination): string[] {
  const ownArrivals = findings.arrivals.filter(({ to }) => to === member.number)
  const groupArrivals = (isAnchor: boolean) =>
    groupBy(
      ownArrivals
        .filter(({ form }) => (isAnchor ? form === 'anchored' : form === 'alert' || form === 'digest'))
        .flatMap((arrival) => arrival.indexes.map((index) => ({ index, arrival }))),
      ({ index }) => index,
    )
  const [alertArrivals, anchorArrivals] = [groupArrivals(false), groupArrivals(true)]
  const rows = findings.rows.filter(({ destinationId }) => destinationId === member.id)
  const indexesWithoutRow = [...alertArrivals.keys()].filter(
    (index) => !rows.some(({ logIndex }) => logIndex === index),
  )
  return [
    ...indexesWithoutRow.map((index) => `${getName(member)} got #${index} without a row`),
    ...rows.flatMap((row) => {
      const rowName = `${getName(member)}, #${row.logIndex} ${row.event}`
      const rowArrivals = ((row.event === 'anchored' ? anchorArrivals : alertArrivals).get(row.logIndex) ?? []).map(
        ({ arrival }) => arrival,
      )
      const isInDigest = row.reason.startsWith('In a digest')
      if (row.state === 'delivered' && !isInDigest && !rowArrivals.some(({ form }) => form !== 'digest')) {
        return [`${rowName} did not arrive`]
      }
      if (row.state !== 'delivered' && rowArrivals.some(({ mayArriveAgain }) => !mayArriveAgain)) {
        return [`${rowName} arrived and is ${row.state}`]
      }
      return checkSingleArrival(rowName, rowArrivals)
    }),
  ]
}

function checkSingleArrival(messageName: string, messages: readonly ReceivedMessage[]): string[] {
  if (messages.length <= 1) return []
  if (messages.slice(0, -1).some(({ mayArriveAgain }) => !mayArriveAgain))
    return [`${messageName} arrived ${messages.length} times`]
  const ids = new Set(messages.map(({ id }) => id))
  return ids.size === 1 ? [] : [`${messageName} arrived with ${ids.size} ids: ${[...ids].join(', ')}`]
}

/**
 * Checks that each digest recorded as delivered has arrived and names all of its alerts. A message
 * without room for all of them must name or count each.
 */
function checkDigests({ rows, arrivals }: LedgerFindings, member: SimulatedDestination): string[] {
  const digestRows = rows.filter(
    ({ destinationId, state, reason }) =>
      destinationId === member.id && state === 'delivered' && reason.startsWith('In a digest'),
  )
  const digestArrivals = arrivals.filter(({ to, form }) => to === member.number && form === 'digest')
  return [...groupBy(digestRows, ({ digestId }) => digestId)].flatMap(([digestId, digestMembers]) => {
    const expectedIndexes = digestMembers.map(({ logIndex }) => logIndex)
    const sender = digestMembers.find(({ id }) => id === digestId)?.logIndex
    if (sender === undefined) return [`${getName(member)}: no row has sent digest ${digestId}`]
    const name = expectedIndexes.length === 1 ? `_${sender}` : `_${sender}_digest`
    const isThisDigest = ({ indexes, unnamedCount, id }: ReceivedMessage) =>
      indexes.every((index) => expectedIndexes.includes(index)) &&
      indexes.length + unnamedCount === expectedIndexes.length &&
      (!id.includes('msg_') || new RegExp(`${name}(@|$)`).test(id))
    const hasArrived = digestArrivals.some(
      (digest) => isThisDigest(digest) && (digest.unnamedCount === 0 || !listsAllAlerts(member)),
    )
    return hasArrived
      ? []
      : [`${getName(member)}: the digest of ${expectedIndexes.map((index) => `#${index}`).join()} did not arrive`]
  })
}

/**
 * True if a digest must name all of its alerts. Chat and push messages may have no room for all of
 * them and then only count the others.
 */
const listsAllAlerts = ({ kind }: SimulatedDestination) => kind === 'webhook' || kind === 'email'

/**
 * Checks that quiet hours and digests held back single messages, and that hourly limits were kept.
 */
function checkDeliverySettings({ members, rows, arrivals, alertByIndex }: LedgerFindings): string[] {
  return members.flatMap((member) => {
    const { quietHours, digest, rules } = member.settings ?? {}
    const ownArrivals = arrivals.filter(({ to }) => to === member.number)
    const problems: string[] = []
    for (const { form, indexes, atMs } of ownArrivals) {
      if (form !== 'alert' && form !== 'digest') continue
      if (form === 'alert' && digest && member.role !== 'redelivered' && member.fate !== 'long') {
        problems.push(`${getName(member)} got #${indexes} outside of a digest`)
      }
      const minute = (atMs / MINUTE_MS) % (24 * 60)
      const isInQuietHours =
        quietHours &&
        (quietHours.from < quietHours.to
          ? minute >= quietHours.from && minute < quietHours.to
          : minute >= quietHours.from || minute < quietHours.to)
      const passesQuietHours = quietHours?.criticalPasses && alertByIndex.get(indexes[0] ?? -1)?.priority === 'critical'
      if (isInQuietHours && !(form === 'alert' && passesQuietHours))
        problems.push(`${getName(member)} got #${indexes} in quiet hours`)
    }
    const maxPerHour = rules?.mostPerHour
    if (maxPerHour) {
      const singleRows = rows.filter(
        ({ destinationId, digestId, logIndex }) =>
          destinationId === member.id && digestId === null && alertByIndex.get(logIndex)?.isCorrection === false,
      )
      const countsByHour = countBy(singleRows, ({ createdAt }) => String(Math.floor(createdAt.getTime() / HOUR_MS)))
      for (const count of Object.values(countsByHour)) {
        if (count > maxPerHour) problems.push(`${getName(member)} got ${count} alerts in an hour`)
      }
    }
    return problems
  })
}

/**
 * Checks the state, history, probes and missed alerts of a destination. Most checks concern
 * destinations whose endpoints fail for more than a day or are gone.
 */
function checkFate(
  { rows, history, requests, stateById, resendOffers, ...found }: LedgerFindings,
  member: SimulatedDestination,
): string[] {
  const { fate, name, accountId, id, number } = member
  const expected = fate === 'gone' ? 'gone' : fate === 'endless' ? 'failing' : 'on'
  const memberName = getName(member)
  const problems = stateById.get(id) === expected ? [] : [`${memberName} is ${stateById.get(id)}`]
  const readHistoryTimes = (what: string) =>
    history.flatMap(({ accountId: activityAccountId, detail, atMs }) =>
      activityAccountId === accountId && detail.startsWith(name + what) ? [atMs] : [],
    )
  const [goneTimes, failingTimes, resumedTimes] = [
    readHistoryTimes(' was removed or has blocked Tocsin'),
    readHistoryTimes(' has failed for 24 hours'),
    readHistoryTimes(' works again'),
  ]
  const counts = [goneTimes, failingTimes, resumedTimes].map(({ length }) => length).join()
  const expectedCounts = { gone: '1,0,0', long: '0,1,1', endless: '0,1,0', outage: '0,0,0', none: '0,0,0' }[
    fate ?? 'none'
  ]
  if (counts !== expectedCounts)
    problems.push(`${memberName}: gone, failing, resumed ${counts} times instead of ${expectedCounts}`)
  const [goneAtMs = Number.POSITIVE_INFINITY] = goneTimes
  const lateRequests = requests.filter(({ to, atMs }) => to === number && atMs > goneAtMs)
  if (lateRequests.length > 0) problems.push(`${memberName} got ${lateRequests.length} requests after it was gone`)
  const [fromMs = Number.POSITIVE_INFINITY] = failingTimes
  const [toMs = Number.POSITIVE_INFINITY] = resumedTimes
  const failingRequests = requests.filter(({ to, atMs }) => to === number && atMs > fromMs && atMs < toMs)
  if (failingRequests.some(({ form }) => form !== 'probe'))
    problems.push(`${memberName} got messages while it was failing`)
  for (const [at, { atMs, precedesKill }] of failingRequests.entries()) {
    const next = failingRequests[at + 1]
    if (next && !precedesKill && next.atMs - atMs < HOUR_MS)
      problems.push(`${memberName} was probed twice within an hour`)
    const longestMs = HOUR_MS + Math.max(found.plan.stepMs, found.plan.lastStepMs)
    if (next && next.atMs - atMs > longestMs) problems.push(`${memberName} was not probed for more than an hour`)
  }
  const offer = resendOffers.get(number)
  const missedCount = rows.filter(
    ({ destinationId, state, reason }) =>
      destinationId === id && state === 'skipped' && reason === 'The destination was failing',
  ).length
  const remainingMissed = fate === 'long' && offer?.isRequested === false ? offer.missed : 0
  if (fate === 'long' && !offer) problems.push(`${memberName} offered nothing after it resumed`)
  if (fate === 'long' && missedCount !== remainingMissed)
    problems.push(`${memberName} has missed ${missedCount} and offered ${offer?.missed}`)
  return problems
}

/**
 * Checks that the owner is notified of each failing destination, by email and once through another
 * channel.
 */
function checkNotices({ members, arrivals }: LedgerFindings, mails: ReadonlyMap<string, number>): string[] {
  return members.flatMap((witness) => {
    if (witness.role !== 'witness') return []
    const failingMembers = members.filter(({ account, fate }) => account === witness.account && fate !== undefined)
    const notices = groupBy(
      arrivals.filter(({ to, form }) => to === witness.number && form === 'notice'),
      ({ id }) => id,
    )
    const wrongCounts = failingMembers.flatMap(({ name }) => {
      const noticesNamingMember = [...notices.values()].filter(
        ([notice]) => notice?.text.includes(`${name} has failed`) || notice?.text.includes(`${name} was removed`),
      )
      return noticesNamingMember.length === 1 ? [] : [`${noticesNamingMember.length} notices say that ${name} fails`]
    })
    const mailCount = mails.get(getOwnerEmail(witness.account ?? '')) ?? 0
    return [
      ...wrongCounts,
      ...[...notices].flatMap(([id, noticeMessages]) => checkSingleArrival(`Notice ${id}`, noticeMessages)),
      ...(mailCount === failingMembers.length
        ? []
        : [`${mailCount} mails to the owner of ${failingMembers.length} that fail`]),
    ]
  })
}

/** Checks that the second escalation step gets exactly the unacknowledged critical alerts. */
function checkEscalation({ members, rows, issued, alertByIndex }: LedgerFindings): string[] {
  const secondStep = members.find(({ role }) => role === 'second step')
  const secondStepRows = rows.filter(({ destinationId }) => destinationId === secondStep?.id)
  const wrongRows = secondStepRows.filter(
    ({ logIndex, state }) => (state === 'skipped') !== (alertByIndex.get(logIndex)?.isAcknowledged === true),
  )
  const criticalCount = issued.filter(({ priority }) => priority === 'critical').length
  const escalationCount = secondStepRows.filter(({ isEscalation }) => isEscalation).length
  return [
    ...wrongRows.map(({ logIndex, reason }) => `Escalation of #${logIndex}: ${reason}`),
    ...(escalationCount === criticalCount
      ? []
      : [`${escalationCount} of ${criticalCount} critical alerts were escalated`]),
  ]
}
