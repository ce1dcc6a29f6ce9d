import type { Priority } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { readHealth } from '@tocsin/server/features/channels/store.ts'
import { createRandom } from '@tocsin/server/seeded-random.ts'
import type { TestDatabase } from '@tocsin/testkit'
import { createInnerProcesses, createKilledProcesses, type Processes } from './processes.ts'
import { answerWith, type Scene, startScene } from './scene.ts'

export interface Plan {
  hours: number
  stepMs: number
  alertEveryMs: number
  destinations: number
  kills: number
  /** Hours from the start. */
  outage: { from: number; to: number }
  seed: number
  /**
   * `process`: by SIGKILL to a process that sends. `sender`: within this process, which is quick.
   */
  kill: 'process' | 'sender'
}

export interface Result {
  alerts: number
  deliveries: number
  states: Record<string, number>
  requests: number
  duplicates: number
  problems: string[]
}

const FAILURES = 0.05
const kinds = ['webhook', 'webhook', 'discord', 'slack', 'ntfy', 'telegram'] as const
const paths = { webhook: '/hook/', discord: '/api/webhooks/', slack: '/services/', ntfy: '/topic-', telegram: '/' }
const priorities: readonly Priority[] = ['low', 'medium', 'high', 'critical']
/** Retries of webhooks end after 38 hours and jitter. */
const UNTIL_ALL_END_MS = 50 * HOUR_MS

/**
 * Simulates the sender with a clock of its own: 5 % of the requests fail, half of the destinations
 * have an outage, and the process is killed at random moments, each time after requests that it has
 * not recorded. Then waits until nothing is left to send, and compares ledger and endpoints.
 */
export async function simulate(database: TestDatabase, plan: Plan): Promise<Result> {
  const scene = await startScene(database)
  const processes = plan.kill === 'process' ? createKilledProcesses(scene) : createInnerProcesses(scene)
  try {
    return await run(scene, processes, plan)
  } finally {
    await processes.stop()
    await scene.stop()
  }
}

async function run(
  scene: Scene,
  processes: Processes,
  { hours, stepMs, alertEveryMs, kills, outage, seed, ...plan }: Plan,
): Promise<Result> {
  const random = createRandom(seed)
  const startMs = scene.clock.now().getTime()
  const ids: string[] = []
  for (let at = 0; at < plan.destinations; at += 1) {
    const kind = kinds[at % kinds.length] ?? 'webhook'
    // Each is on a host of its own.
    ids.push(await scene.addDestination(await scene.addAccount(), kind, `${paths[kind]}${at + 1}`, `127.0.1.${at + 1}`))
  }
  /** Messages that were accepted, in order. */
  const accepted: string[] = []
  scene.endpoints.answer = ({ id, path, body }) => {
    const passedMs = scene.clock.now().getTime() - startMs
    const isOut =
      passedMs >= outage.from * HOUR_MS && passedMs < outage.to * HOUR_MS && Number(/\d+/.exec(path)) % 2 === 1
    if (isOut) return answerWith(503)
    if (random() < FAILURES) return random() < 0.5 ? answerWith(500) : (response) => void response.destroy()
    // Chats have no id, and the same text in each attempt.
    accepted.push(path.includes('/hook/') ? id : `${path} ${body}`)
    return undefined
  }
  // Not at the end, where nothing may be sent any more.
  const killsAtMs = Array.from({ length: kills }, () => startMs + random() * 0.9 * hours * HOUR_MS).sort(
    (a, b) => a - b,
  )
  /** Messages that a killed process may have accepted answers of without recording them. */
  const exposed = new Set<string>()
  const settle = async () => {
    const from = accepted.length
    if (!(await processes.settle(killsAtMs[0] ?? null))) return
    killsAtMs.shift()
    for (const name of accepted.slice(from)) exposed.add(name)
  }
  let alerts = 0
  for (let passedMs = 0; passedMs < hours * HOUR_MS; passedMs += stepMs) {
    if (passedMs % alertEveryMs === 0) {
      await scene.issue(`Alert ${alerts}`, priorities[Math.floor(random() * priorities.length)])
      alerts += 1
    }
    await settle()
    scene.clock.advance(stepMs)
  }
  const untilMs = scene.clock.now().getTime() + UNTIL_ALL_END_MS
  while (scene.clock.now().getTime() < untilMs && (await scene.ledger()).some(({ state }) => state === 'waiting')) {
    scene.clock.advance(30 * MINUTE_MS)
    await settle()
  }
  return check(scene, { ids, alerts, accepted, exposed, hasAllKills: killsAtMs.length === 0 })
}

interface Seen {
  ids: string[]
  alerts: number
  accepted: readonly string[]
  exposed: ReadonlySet<string>
  hasAllKills: boolean
}

async function check(scene: Scene, { ids, alerts, accepted, exposed, hasAllKills }: Seen): Promise<Result> {
  const rows = await scene.ledger()
  const attempts = await scene.attempts()
  const problems: string[] = []
  const states: Record<string, number> = {}
  for (const { state, reason, attempts: counted, id } of rows) {
    states[state] = (states[state] ?? 0) + 1
    if (state === 'waiting') problems.push(`Delivery ${id} never ended`)
    if (reason === '') problems.push(`Delivery ${id} has no reason`)
    const recorded = attempts.filter(({ deliveryId }) => deliveryId === id)
    if (recorded.length !== counted) problems.push(`Delivery ${id} counts ${counted} of ${recorded.length} attempts`)
  }
  const pairs = new Set(rows.map(({ destinationId, logIndex }) => `${destinationId} ${logIndex}`))
  if (pairs.size !== rows.length || rows.length !== alerts * ids.length) {
    problems.push(`${rows.length} rows, ${pairs.size} pairs, of ${alerts * ids.length} alerts and destinations`)
  }
  const health = await readHealth(scene.ctx.db, ids, new Date(scene.clock.now().getTime() - 30 * DAY_MS))
  for (const state of ['delivered', 'skipped', 'dead', 'waiting'] as const) {
    const sum = [...health.values()].reduce((total, { counts }) => total + counts[state], 0)
    if (sum !== (states[state] ?? 0)) problems.push(`The health counts ${sum} ${state} of ${states[state] ?? 0}`)
  }
  if (!hasAllKills) problems.push('Not all kills happened')
  const distinct = new Set(accepted)
  const delivered = states.delivered ?? 0
  if (distinct.size < delivered) problems.push(`${distinct.size} messages arrived, ${delivered} count as delivered`)
  const repeated = accepted.filter((name, at) => accepted.indexOf(name) !== at)
  const unexplained = repeated.filter((name) => !exposed.has(name))
  if (unexplained.length > 0) problems.push(`${unexplained.length} were repeated without a kill`)
  const duplicates = repeated.length
  return { alerts, deliveries: rows.length, states, requests: scene.received.length, duplicates, problems }
}
