import type { Priority } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { destinations } from '@tocsin/server/db/schema/channels.ts'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { acknowledgeByMessage } from '@tocsin/server/features/channels/acknowledge.ts'
import { changeSettings } from '@tocsin/server/features/channels/delivery-settings.ts'
import { ESCALATE_AFTER_MS } from '@tocsin/server/features/channels/escalation.ts'
import { redeliver } from '@tocsin/server/features/channels/service.ts'
import { readHealth } from '@tocsin/server/features/channels/store.ts'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'
import type { TestDatabase } from '@tocsin/testkit'
import { and, eq, inArray } from 'drizzle-orm'
import { checkChannels } from './check.ts'
import { type Answer, answerWith, type Fixture, startFixture } from './fixture.ts'
import { createOwnerMails } from './job.ts'
import { startMailServer } from './mail-server.ts'
import { addMembers, type SimulatedDestination } from './members.ts'
import { type Message, readMail, readRequest } from './message.ts'
import { createChildProcessSender, createInProcessSender, type SenderRunner } from './processes.ts'
import type {
  IssuedAlert,
  Observations,
  ReceivedMessage,
  ResendOffer,
  Result,
  SeenRequest,
  SimulationPlan,
} from './seen.ts'

const FAILURE_RATE = 0.05
const priorities: readonly Priority[] = ['low', 'medium', 'high', 'critical']
const LONG_OUTAGE = { from: 1, to: 27.75 }
const GONE_FROM_HOUR = 5
/**
 * Time after which all deliveries have ended: webhooks are retried for up to 38 hours plus jitter.
 */
const ALL_ENDED_AFTER_MS = 60 * HOUR_MS
/**
 * Moments at which the sender is killed. `response`: after the response to a delivery, before it is
 * recorded. All others: during a request to this kind of destination or with this form of message.
 */
const killedAt = ['response', 'email', 'digest', 'web-push', 'response', 'probe', 'email digest', 'notice'] as const

/**
 * Simulates the job of channels with a fake clock. There are destinations of all kinds and
 * settings, 5 % of the requests fail, endpoints have outages or are gone, and the process is killed
 * at random moments, each time after requests that it has not recorded. Then waits until nothing is
 * left to send, and compares the ledger with the endpoints.
 */
export async function simulate(database: TestDatabase, plan: SimulationPlan): Promise<Result> {
  let onMail: (to: string, source: string) => { code: number; line: string } | null = () => null
  const mails = await startMailServer((to, source) => onMail(to, source))
  const fixture = await startFixture(database, { mail: { smtpUrl: mails.url, from: 'Tocsin <tocsin@example.com>' } })
  const waitUntilHungUp = () => Promise.all([fixture.waitUntilDisconnected(), mails.hungUp()])
  // Digests and quiet hours depend on the time of day, so every run starts at 06:00 UTC.
  fixture.clock.set(new Date(Math.ceil(fixture.clock.now().getTime() / DAY_MS) * DAY_MS + 6 * HOUR_MS))
  await createOwnerMails(fixture.ctx)
  const processes =
    plan.kill === 'process'
      ? createChildProcessSender(fixture, waitUntilHungUp)
      : createInProcessSender(fixture, waitUntilHungUp)
  try {
    const endpoints = await createEndpoints(fixture, processes, plan)
    fixture.endpoints.answer = (received) => endpoints.answerRequest(readRequest(received, fixture.readPush))
    onMail = (to, source) => endpoints.answerMail(readMail(to, source))
    const observations = await runSimulation(fixture, endpoints, plan)
    return await checkChannels(fixture, observations)
  } finally {
    await processes.stop()
    await fixture.stop()
    await mails.stop()
  }
}

type Endpoints = Awaited<ReturnType<typeof createEndpoints>>

/** Creates the endpoints of all destinations. They also decide when the sender is killed. */
async function createEndpoints(
  fixture: Fixture,
  processes: SenderRunner,
  { kills, hours, seed, outage }: SimulationPlan,
) {
  const random = createRandom(seed)
  const startMs = fixture.clock.now().getTime()
  const members = await addMembers(fixture, hours >= LONG_OUTAGE.to)
  const arrivals: ReceivedMessage[] = []
  const requests: SeenRequest[] = []
  const isBetweenHours = (atMs: number, { from, to }: { from: number; to: number }) =>
    atMs >= startMs + from * HOUR_MS && atMs < startMs + to * HOUR_MS
  /** Remaining kills. No kill is planned near the end, when there may be nothing left to send. */
  const pendingKills = Array.from({ length: kills }, (_, index) => {
    const moment = killedAt[index % killedAt.length] ?? 'response'
    const isRareMoment = moment === 'probe' || moment === 'notice'
    return { moment, atMs: startMs + (isRareMoment ? 0 : random() * 0.9 * hours * HOUR_MS) }
  }).sort((a, b) => a.atMs - b.atMs)
  const executedKills: string[] = []
  let isKilled = false
  let isLongPause = false
  const killIfPlanned = ({ kind }: SimulatedDestination, { form }: Message, nowMs: number) => {
    const moments = [kind, form, `${kind} ${form}`]
    const killIndex = pendingKills.findIndex(({ moment, atMs }) => atMs <= nowMs && moments.includes(moment))
    if (killIndex === -1 || isKilled) return
    isKilled = true
    executedKills.push(...pendingKills.splice(killIndex, 1).map(({ moment }) => moment))
    processes.kill()
  }
  /** @returns why the endpoint refuses the message, or null if it accepts it */
  const decideResponse = (
    message: Message,
  ): { member: SimulatedDestination; refused: 'gone' | 'out' | 'failed' | null } => {
    const member = members[message.to - 1]
    if (!member) throw new Error(`A message for ${message.to}`)
    const atMs = fixture.clock.now().getTime()
    requests.push({ to: message.to, form: message.form, atMs, precedesKill: false })
    if (member.fate === 'gone' && atMs >= startMs + GONE_FROM_HOUR * HOUR_MS) return { member, refused: 'gone' }
    const isUnavailable =
      (member.fate === 'outage' && isBetweenHours(atMs, outage)) ||
      (member.fate === 'long' && isBetweenHours(atMs, LONG_OUTAGE)) ||
      (member.fate === 'endless' && atMs >= startMs + LONG_OUTAGE.from * HOUR_MS)
    if (isUnavailable) return { member, refused: 'out' }
    if (random() < FAILURE_RATE) return { member, refused: 'failed' }
    arrivals.push({ ...message, atMs, mayArriveAgain: false })
    killIfPlanned(member, message, atMs)
    return { member, refused: null }
  }
  /** @returns whether the sender was killed */
  const runPass = async () => {
    const [firstNewArrival, firstNewRequest] = [arrivals.length, requests.length]
    isKilled = false
    const response = pendingKills.find(({ moment }) => moment === 'response')
    if (!(await processes.settle(response?.atMs ?? null))) return false
    if (!isKilled && response) {
      pendingKills.splice(pendingKills.indexOf(response), 1)
      executedKills.push(response.moment)
    }
    for (const arrival of arrivals.slice(firstNewArrival)) arrival.mayArriveAgain = true
    for (const request of requests.slice(firstNewRequest)) request.precedesKill = true
    return true
  }
  return {
    random,
    startMs,
    members,
    arrivals,
    requests,
    executedKills,
    hasAllKills: () => pendingKills.length === 0,
    answerRequest(message: Message): Answer | undefined {
      const { member, refused } = decideResponse(message)
      if (refused === null) return undefined
      if (refused === 'gone') return goneAnswers[member.kind]
      if (refused === 'out') return answerWith(503)
      const randomShare = random()
      if (randomShare < 0.3) return answerWith(429, { 'retry-after': '90' })
      return randomShare < 0.6 ? answerWith(500) : (response) => void response.destroy()
    },
    answerMail(message: Message) {
      const { refused } = decideResponse(message)
      if (refused === null) return null
      if (refused === 'gone') return { code: 550, line: '5.1.1 No such user' }
      return random() < 0.5 ? { code: 451, line: '4.3.0 Try again' } : { code: 421, line: '4.3.2 Shutting down' }
    },
    /**
     * Sends everything that is due. If the process was killed, it restarts alternately after a
     * second and after 20 minutes, when most alerts are too old and quiet hours may have begun.
     */
    async settle() {
      if (!(await runPass())) return
      isLongPause = !isLongPause
      for (const ms of [isLongPause ? 20 * MINUTE_MS : SECOND_MS, 2 * MINUTE_MS]) {
        do fixture.clock.advance(ms)
        while (await runPass())
      }
    },
  }
}

const goneAnswers: Partial<Record<SimulatedDestination['kind'], Answer>> = {
  'web-push': answerWith(410),
  discord: answerWith(404, {}, '{"message":"Unknown Webhook","code":10015}'),
  telegram: answerWith(403, {}, '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}'),
}

async function runSimulation(fixture: Fixture, endpoints: Endpoints, plan: SimulationPlan): Promise<Observations> {
  const { random, startMs, members, arrivals, requests, executedKills, settle } = endpoints
  const issued: (IssuedAlert & { id: string })[] = []
  const resendOffers = new Map<number, ResendOffer>()
  const owners = createOwners(fixture, members, startMs, resendOffers)
  const issueRandomAlert = async () => {
    const priority = priorities[Math.floor(random() * priorities.length)] ?? 'high'
    const alert = await fixture.issue(`Alert ${issued.length}`, priority, random() < 0.5 ? 'BTC' : 'ETH')
    const atMs = fixture.clock.now().getTime()
    const issuedAlert = { ...alert, isCorrection: false, priority, atMs, isAcknowledged: false }
    issued.push(issuedAlert)
    return priority === 'critical' && random() < 0.5 ? issuedAlert : null
  }
  /**
   * Acknowledges an alert, unless it is already old enough to be escalated: after a kill, the clock
   * can advance by more than 20 minutes.
   */
  const acknowledgeInTime = async (alert: IssuedAlert) => {
    if (fixture.clock.now().getTime() - alert.atMs >= ESCALATE_AFTER_MS) return
    await owners.acknowledge(alert.logIndex)
    alert.isAcknowledged = true
  }
  const correctRandomAlert = async () => {
    const target = issued.at(-3)
    if (!target) return
    const alert = await fixture.replace('correction', target.id, 'Corrected')
    const atMs = fixture.clock.now().getTime()
    issued.push({ ...alert, isCorrection: true, priority: 'high', atMs, isAcknowledged: false })
  }
  for (let passedMs = 0; passedMs < plan.hours * HOUR_MS; passedMs += plan.stepMs) {
    const alertsToAcknowledge: (IssuedAlert | null)[] = []
    if (passedMs % plan.alertEveryMs === 0) {
      alertsToAcknowledge.push(await issueRandomAlert())
      if (random() < 0.3) alertsToAcknowledge.push(await issueRandomAlert())
      if (random() < 0.05) await correctRandomAlert()
    }
    await settle()
    for (const alert of alertsToAcknowledge) if (alert !== null) await acknowledgeInTime(alert)
    if (passedMs % (6 * HOUR_MS) === 0) await addAnchor(fixture, issued.at(-1)?.logIndex ?? 0)
    await owners.act()
    fixture.clock.advance(plan.stepMs)
  }
  const untilMs = fixture.clock.now().getTime() + ALL_ENDED_AFTER_MS
  const hasOpenDeliveries = async () =>
    (await fixture.listDeliveries()).some(({ state }) => state === 'waiting' || state === 'held')
  while (fixture.clock.now().getTime() < untilMs && ((await hasOpenDeliveries()) || !endpoints.hasAllKills())) {
    fixture.clock.advance(plan.lastStepMs)
    await settle()
    await owners.act()
  }
  const kills = endpoints.hasAllKills() ? executedKills : [...executedKills, 'not all']
  return { members, issued, arrivals, requests, resendOffers, plan, startMs, kills }
}

/** Simulates what owners do: mute, pause, request redelivery, and acknowledge. */
function createOwners(
  fixture: Fixture,
  members: readonly SimulatedDestination[],
  startMs: number,
  resendOffers: Map<number, ResendOffer>,
) {
  const { ctx, clock } = fixture
  const findByRole = (role: SimulatedDestination['role']) => {
    const member = members.find((each) => each.role === role)
    if (!member) throw new Error(`No destination is ${role}`)
    return member
  }
  const startOwnerSession = ({ accountId }: SimulatedDestination) => fixture.startOwnerSession(accountId)
  const [pausedMember, mutedMember, redeliveredMember, secondStepMember] = [
    findByRole('paused'),
    findByRole('muted'),
    findByRole('redelivered'),
    findByRole('second step'),
  ]
  const hasReachedHour = (hour: number) => clock.now().getTime() >= startMs + hour * HOUR_MS
  const actions: (() => Promise<boolean>)[] = [
    async () => {
      if (!hasReachedHour(3)) return false
      const mutedUntil = new Date(clock.now().getTime() + 90 * MINUTE_MS)
      await ctx.db.update(destinations).set({ mutedUntil }).where(eq(destinations.id, mutedMember.id))
      return true
    },
    async () => {
      if (!hasReachedHour(5)) return false
      await changeSettings(ctx, await startOwnerSession(pausedMember), pausedMember.id, { paused: true })
      return true
    },
    async () => {
      if (!hasReachedHour(7.5)) return false
      await changeSettings(ctx, await startOwnerSession(pausedMember), pausedMember.id, { paused: false })
      const missedDeliveries = (await fixture.listDeliveries(pausedMember.id)).filter(
        ({ reason }) => reason === 'The destination was paused',
      )
      const index = missedDeliveries[0]?.logIndex
      if (index !== undefined)
        await redeliver(ctx, await startOwnerSession(pausedMember), pausedMember.id, { index, andLater: true })
      return true
    },
    // Request redelivery while a digest waits to be sent again.
    async () => {
      const waitingDelivery = (await fixture.listDeliveries(redeliveredMember.id)).find(
        ({ state, digestId, attempts }) => state === 'waiting' && digestId !== null && attempts > 0,
      )
      if (!waitingDelivery) return false
      await redeliver(ctx, await startOwnerSession(redeliveredMember), redeliveredMember.id, {
        index: 0,
        andLater: true,
      })
      return true
    },
    // When the destinations work again, the owner requests the missed alerts of every second one.
    async () => {
      const failingMembers = members.filter(({ fate }) => fate === 'long')
      const failedIds = failingMembers.map(({ id }) => id)
      const stillFailing = and(eq(destinations.state, 'failing'), inArray(destinations.id, failedIds))
      if (!hasReachedHour(LONG_OUTAGE.to) || (await ctx.db.$count(destinations, stillFailing)) > 0) return false
      for (const [at, member] of failingMembers.entries()) {
        const health = (await readHealth(ctx.db, [member.id], new Date(0))).get(member.id)
        if (!health) continue
        const { missed, missedFrom: index } = health.missed
        const isResendRequested = at % 2 === 0 && index !== null
        resendOffers.set(member.number, { missed, isRequested: isResendRequested })
        if (isResendRequested)
          await redeliver(ctx, await startOwnerSession(member), member.id, { index, andLater: true })
      }
      return true
    },
  ]
  return {
    acknowledge: (logIndex: number) => acknowledgeByMessage(ctx, secondStepMember.accountId, logIndex),
    async act() {
      for (const action of [...actions]) {
        if (await action()) actions.splice(actions.indexOf(action), 1)
      }
    },
  }
}

/** Inserts an anchor, as if the log had been anchored up to this entry. */
async function addAnchor({ ctx, clock }: Fixture, logIndex: number): Promise<void> {
  const block = { blockNumber: logIndex + 1, blockHash: '0x', blockAt: clock.now() }
  const row = { size: logIndex + 1, root: Buffer.alloc(32), txHash: `0x${logIndex}`, ...block }
  await ctx.db.insert(anchors).values(row).onConflictDoNothing()
}
