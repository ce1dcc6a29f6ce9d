import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { activities } from '@tocsin/server/db/schema/accounts.ts'
import { destinations } from '@tocsin/server/db/schema/channels.ts'
import { NO_PLAN } from '@tocsin/server/features/channels/enqueue-deliveries.ts'
import { readHealth } from '@tocsin/server/features/channels/store.ts'
import type { Fixture } from './fixture.ts'
import { countOwnerMails } from './job.ts'
import { ENDING, getOwner, type Member } from './members.ts'
import type { IssuedAlert, Observations, ReceivedMessage, Result } from './seen.ts'

type Row = Awaited<ReturnType<Fixture['ledger']>>[number]

/** Everything that the checks compare. `rows` are the rows of the delivery ledger. */
interface Found extends Observations {
  rows: readonly Row[]
  history: readonly { accountId: string; detail: string; atMs: number }[]
  stateOf: ReadonlyMap<string, string>
  alertOf: ReadonlyMap<number, IssuedAlert>
}

/** Compares the delivery ledger with the messages that endpoints and owners have received. */
export async function check(fixture: Fixture, seen: Observations): Promise<Result> {
  const { db } = fixture.ctx
  const rows = await fixture.ledger()
  const history = (await db.select().from(activities)).map(({ accountId, detail, at }) => ({
    accountId,
    detail: detail ?? '',
    atMs: at.getTime(),
  }))
  const states = await db.select({ id: destinations.id, state: destinations.state }).from(destinations)
  const found: Found = {
    ...seen,
    rows,
    history,
    stateOf: new Map(states.map(({ id, state }) => [id, state])),
    alertOf: new Map(seen.issued.map((alert) => [alert.logIndex, alert])),
  }
  const problems = [
    ...checkDeliveriesEnded(found),
    ...checkPairs(found),
    ...(await checkSums(fixture, found)),
    ...seen.members.flatMap((member) => checkArrivals(found, member)),
    ...seen.members.flatMap((member) => checkDigests(found, member)),
    ...checkDeliverySettings(found),
    ...seen.members.flatMap((member) => checkFate(found, member)),
    ...checkNotices(found, await countOwnerMails(fixture.ctx)),
    ...checkEscalation(found),
    ...(seen.kills.includes('not all') ? ['Not all kills happened'] : []),
  ]
  return {
    alerts: seen.issued.length,
    destinations: seen.members.length,
    deliveries: rows.length,
    states: countBy(rows, ({ state }) => state),
    requests: seen.requests.length,
    arrived: countArrived(found),
    kills: [...seen.kills],
    problems,
  }
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

function countArrived({ arrivals, members }: Found): Result['arrived'] {
  const counts: Result['arrived'] = {}
  const seenKeys = new Set<string>()
  for (const { to, form, id } of arrivals) {
    const kind = members[to - 1]?.kind ?? ''
    const key = form === 'alert' || form === 'digest' ? `${form} by ${kind}` : form
    const count = counts[key] ?? { messages: 0, again: 0 }
    count.messages += 1
    if (seenKeys.has(id)) count.again += 1
    seenKeys.add(id)
    counts[key] = count
  }
  return counts
}

const getHour = (at: Date) => Math.floor(at.getTime() / HOUR_MS)
const getName = ({ number, kind }: Member) => `${kind} ${number}`
const getMember = ({ members }: Found, row: Row) => members.find(({ id }) => id === row.destinationId)

/** Checks that every delivery has ended, with a reason that fits the destination. */
function checkDeliveriesEnded(found: Found): string[] {
  return found.rows.flatMap((row) => {
    const member = getMember(found, row)
    const of = `Delivery ${row.id} (${member ? getName(member) : '?'}, #${row.logIndex})`
    if (row.state === 'waiting' || row.state === 'held') return [`${of} never ended: ${row.state}, ${row.reason}`]
    if (row.reason === '') return [`${of} has no reason`]
    const maySkip =
      /^Replaced by #/.test(row.reason) || member?.skips?.test(row.reason) === true || isAnchorOfDigest(found, row)
    return row.state === 'skipped' && !maySkip ? [`${of} was skipped: ${row.reason}`] : []
  })
}

/**
 * True if the row announces the anchor of an alert that is in a digest. Any alert may be in one: an
 * alert that is too old when a killed sender restarts is moved to a digest.
 */
function isAnchorOfDigest({ rows }: Found, { event, reason, destinationId, logIndex }: Row): boolean {
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
function checkPairs({ rows, members, issued, requests, alertOf }: Found): string[] {
  return members.flatMap((member) => {
    const own = rows.filter(({ destinationId, event }) => destinationId === member.id && event === 'alert')
    const goneAtMs =
      member.fate === 'gone'
        ? Math.max(...requests.flatMap(({ to, atMs }) => (to === member.number ? [atMs] : [])))
        : Number.POSITIVE_INFINITY
    const expected = issued.filter(({ atMs }) => atMs <= goneAtMs).map(({ logIndex }) => logIndex)
    const has = own.map(({ logIndex }) => logIndex)
    const listedHours = new Map(
      own.filter(({ reason }) => reason === NO_PLAN).map(({ logIndex, createdAt }) => [getHour(createdAt), logIndex]),
    )
    const isLeftOut = (index: number) => {
      const atMs = alertOf.get(index)?.atMs ?? 0
      return member.account === ENDING && (listedHours.get(getHour(new Date(atMs))) ?? index) < index
    }
    const isSame =
      new Set(has).size === has.length && expected.every((index) => has.includes(index) !== isLeftOut(index))
    return isSame ? [] : [`${getName(member)} has ${has.length} rows for ${expected.length} alerts`]
  })
}

/** Checks that the stored counts of attempts and of states match the rows. */
async function checkSums(fixture: Fixture, { rows, members }: Found): Promise<string[]> {
  const recorded = countBy(await fixture.attempts(), ({ deliveryId }) => String(deliveryId))
  const attempts = rows.flatMap(({ id, attempts: counted, isRedelivery }) => {
    const count = recorded[id] ?? 0
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
function checkArrivals(found: Found, member: Member): string[] {
  const own = found.arrivals.filter(({ to }) => to === member.number)
  const about = (isAnchor: boolean) =>
    groupBy(
      own
        .filter(({ form }) => (isAnchor ? form === 'anchored' : form === 'alert' || form === 'digest'))
        .flatMap((arrival) => arrival.indexes.map((index) => ({ index, arrival }))),
      ({ index }) => index,
    )
  const [ofAlerts, ofAnchors] = [about(false), about(true)]
  const rows = found.rows.filter(({ destinationId }) => destinationId === member.id)
  const unlisted = [...ofAlerts.keys()].filter((index) => !rows.some(({ logIndex }) => logIndex === index))
  return [
    ...unlisted.map((index) => `${getName(member)} got #${index} without a row`),
    ...rows.flatMap((row) => {
      const of = `${getName(member)}, #${row.logIndex} ${row.event}`
      const arrived = ((row.event === 'anchored' ? ofAnchors : ofAlerts).get(row.logIndex) ?? []).map(
        ({ arrival }) => arrival,
      )
      const isInDigest = row.reason.startsWith('In a digest')
      if (row.state === 'delivered' && !isInDigest && !arrived.some(({ form }) => form !== 'digest')) {
        return [`${of} did not arrive`]
      }
      if (row.state !== 'delivered' && arrived.some(({ isExposed }) => !isExposed)) {
        return [`${of} arrived and is ${row.state}`]
      }
      return checkOnce(of, arrived)
    }),
  ]
}

function checkOnce(of: string, arrived: readonly ReceivedMessage[]): string[] {
  if (arrived.length <= 1) return []
  if (arrived.slice(0, -1).some(({ isExposed }) => !isExposed)) return [`${of} arrived ${arrived.length} times`]
  const ids = new Set(arrived.map(({ id }) => id))
  return ids.size === 1 ? [] : [`${of} arrived with ${ids.size} ids: ${[...ids].join(', ')}`]
}

/**
 * Checks that each digest recorded as delivered has arrived and names all of its alerts. A message
 * without room for all of them must name or count each.
 */
function checkDigests({ rows, arrivals }: Found, member: Member): string[] {
  const inDigests = rows.filter(
    ({ destinationId, state, reason }) =>
      destinationId === member.id && state === 'delivered' && reason.startsWith('In a digest'),
  )
  const arrived = arrivals.filter(({ to, form }) => to === member.number && form === 'digest')
  return [...groupBy(inDigests, ({ digestId }) => digestId)].flatMap(([digestId, of]) => {
    const wanted = of.map(({ logIndex }) => logIndex)
    const sender = of.find(({ id }) => id === digestId)?.logIndex
    if (sender === undefined) return [`${getName(member)}: no row has sent digest ${digestId}`]
    const name = wanted.length === 1 ? `_${sender}` : `_${sender}_digest`
    const isIt = ({ indexes, more, id }: ReceivedMessage) =>
      indexes.every((index) => wanted.includes(index)) &&
      indexes.length + more === wanted.length &&
      (!id.includes('msg_') || new RegExp(`${name}(@|$)`).test(id))
    const isNamed = arrived.some((digest) => isIt(digest) && (digest.more === 0 || !hasRoom(member)))
    return isNamed
      ? []
      : [`${getName(member)}: the digest of ${wanted.map((index) => `#${index}`).join()} did not arrive`]
  })
}

/**
 * True if a digest must name all of its alerts. Chat and push messages may have no room for all of
 * them and then only count the others.
 */
const hasRoom = ({ kind }: Member) => kind === 'webhook' || kind === 'email'

/**
 * Checks that quiet hours and digests held back single messages, and that hourly limits were kept.
 */
function checkDeliverySettings({ members, rows, arrivals, alertOf }: Found): string[] {
  return members.flatMap((member) => {
    const { quietHours, digest, rules } = member.settings ?? {}
    const own = arrivals.filter(({ to }) => to === member.number)
    const problems: string[] = []
    for (const { form, indexes, atMs } of own) {
      if (form !== 'alert' && form !== 'digest') continue
      if (form === 'alert' && digest && member.role !== 'redelivered' && member.fate !== 'long') {
        problems.push(`${getName(member)} got #${indexes} outside of a digest`)
      }
      const minute = (atMs / MINUTE_MS) % (24 * 60)
      const isQuiet =
        quietHours &&
        (quietHours.from < quietHours.to
          ? minute >= quietHours.from && minute < quietHours.to
          : minute >= quietHours.from || minute < quietHours.to)
      const passes = quietHours?.criticalPasses && alertOf.get(indexes[0] ?? -1)?.priority === 'critical'
      if (isQuiet && !(form === 'alert' && passes)) problems.push(`${getName(member)} got #${indexes} in quiet hours`)
    }
    const most = rules?.mostPerHour
    if (most) {
      const alone = rows.filter(
        ({ destinationId, digestId, logIndex }) =>
          destinationId === member.id && digestId === null && alertOf.get(logIndex)?.isCorrection === false,
      )
      const perHour = countBy(alone, ({ createdAt }) => String(Math.floor(createdAt.getTime() / HOUR_MS)))
      for (const count of Object.values(perHour)) {
        if (count > most) problems.push(`${getName(member)} got ${count} alerts in an hour`)
      }
    }
    return problems
  })
}

/**
 * Checks the state, history, probes and missed alerts of a destination. Most checks concern
 * destinations whose endpoints fail for more than a day or are gone.
 */
function checkFate({ rows, history, requests, stateOf, offered, ...found }: Found, member: Member): string[] {
  const { fate, name, accountId, id, number } = member
  const expected = fate === 'gone' ? 'gone' : fate === 'endless' ? 'failing' : 'on'
  const of = getName(member)
  const problems = stateOf.get(id) === expected ? [] : [`${of} is ${stateOf.get(id)}`]
  const times = (what: string) =>
    history.flatMap(({ accountId: by, detail, atMs }) =>
      by === accountId && detail.startsWith(name + what) ? [atMs] : [],
    )
  const [gone, failing, resumed] = [
    times(' was removed or has blocked Tocsin'),
    times(' has failed for 24 hours'),
    times(' works again'),
  ]
  const counts = [gone, failing, resumed].map(({ length }) => length).join()
  const wanted = { gone: '1,0,0', long: '0,1,1', endless: '0,1,0', outage: '0,0,0', none: '0,0,0' }[fate ?? 'none']
  if (counts !== wanted) problems.push(`${of}: gone, failing, resumed ${counts} times instead of ${wanted}`)
  const [goneAtMs = Number.POSITIVE_INFINITY] = gone
  const late = requests.filter(({ to, atMs }) => to === number && atMs > goneAtMs)
  if (late.length > 0) problems.push(`${of} got ${late.length} requests after it was gone`)
  const [fromMs = Number.POSITIVE_INFINITY] = failing
  const [toMs = Number.POSITIVE_INFINITY] = resumed
  const probes = requests.filter(({ to, atMs }) => to === number && atMs > fromMs && atMs < toMs)
  if (probes.some(({ form }) => form !== 'probe')) problems.push(`${of} got messages while it was failing`)
  for (const [at, { atMs, wasKilled }] of probes.entries()) {
    const next = probes[at + 1]
    if (next && !wasKilled && next.atMs - atMs < HOUR_MS) problems.push(`${of} was probed twice within an hour`)
    const longestMs = HOUR_MS + Math.max(found.plan.stepMs, found.plan.lastStepMs)
    if (next && next.atMs - atMs > longestMs) problems.push(`${of} was not probed for more than an hour`)
  }
  const offer = offered.get(number)
  const missed = rows.filter(
    ({ destinationId, state, reason }) =>
      destinationId === id && state === 'skipped' && reason === 'The destination was failing',
  ).length
  const left = fate === 'long' && offer?.isRequested === false ? offer.missed : 0
  if (fate === 'long' && !offer) problems.push(`${of} offered nothing after it resumed`)
  if (fate === 'long' && missed !== left) problems.push(`${of} has missed ${missed} and offered ${offer?.missed}`)
  return problems
}

/**
 * Checks that the owner is notified of each failing destination, by email and once through another
 * channel.
 */
function checkNotices({ members, arrivals }: Found, mails: ReadonlyMap<string, number>): string[] {
  return members.flatMap((witness) => {
    if (witness.role !== 'witness') return []
    const about = members.filter(({ account, fate }) => account === witness.account && fate !== undefined)
    const notices = groupBy(
      arrivals.filter(({ to, form }) => to === witness.number && form === 'notice'),
      ({ id }) => id,
    )
    const wrongCounts = about.flatMap(({ name }) => {
      const naming = [...notices.values()].filter(
        ([notice]) => notice?.text.includes(`${name} has failed`) || notice?.text.includes(`${name} was removed`),
      )
      return naming.length === 1 ? [] : [`${naming.length} notices say that ${name} fails`]
    })
    const mailCount = mails.get(getOwner(witness.account ?? '')) ?? 0
    return [
      ...wrongCounts,
      ...[...notices].flatMap(([id, of]) => checkOnce(`Notice ${id}`, of)),
      ...(mailCount === about.length ? [] : [`${mailCount} mails to the owner of ${about.length} that fail`]),
    ]
  })
}

/** Checks that the second step gets exactly the critical alerts that were not acknowledged. */
function checkEscalation({ members, rows, issued, alertOf }: Found): string[] {
  const second = members.find(({ role }) => role === 'second step')
  const own = rows.filter(({ destinationId }) => destinationId === second?.id)
  const wrong = own.filter(
    ({ logIndex, state }) => (state === 'skipped') !== (alertOf.get(logIndex)?.isAcknowledged === true),
  )
  const critical = issued.filter(({ priority }) => priority === 'critical').length
  const planned = own.filter(({ isEscalation }) => isEscalation).length
  return [
    ...wrong.map(({ logIndex, reason }) => `Escalation of #${logIndex}: ${reason}`),
    ...(planned === critical ? [] : [`${planned} of ${critical} critical alerts were escalated`]),
  ]
}
