import { SECOND_MS } from '@tocsin/protocol/durations'
import {
  fakeScheduler,
  issueAlerts,
  publicUrl,
  startInstance,
  type TestAccounts,
} from '@tocsin/server/test/support/live-test-bed.ts'
import { testActor } from '@tocsin/server/test/support/test-actor.ts'
import { fakeClock, startTestDatabase } from '@tocsin/testkit'
import { WebSocket } from 'ws'

const SECONDS = 100

interface Listener {
  name: string
  /** Seconds until the listener's subscription ends. 0 means no subscription. */
  subscriptionSeconds: number
  received: number[]
  done: Promise<void>
}

/**
 * Opens sockets whose subscriptions end at random times (some have none) and issues alerts
 * continuously. Each socket must receive exactly the alerts that were broadcast before its
 * subscription ended.
 * @returns the problems, and the number of checked deliveries
 */
export async function testLoad(
  sockets: number,
  alerts: number,
  random: () => number,
): Promise<{ problems: string[]; deliveries: number }> {
  const database = await startTestDatabase()
  const clock = fakeClock()
  const timers = fakeScheduler(clock)
  const accounts: TestAccounts = { actors: new Map(), entitlements: new Map(), owners: new Map() }
  const instance = await startInstance(await database.createDatabase(), clock, accounts, timers)
  try {
    const listeners: Listener[] = []
    for (let index = 0; index <= sockets; index += 1) listeners.push(await addListener(index, index === sockets))
    const witness = listeners.at(-1)
    for (let second = 1; second <= SECONDS; second += 1) {
      const dueCount = Math.round((alerts * second) / SECONDS)
      await issueAlerts(instance.ctx, dueCount - (witness?.received.length ?? 0))
      while ((witness?.received.length ?? 0) < dueCount) await new Promise((resolve) => setTimeout(resolve, 1))
      timers.advance(SECOND_MS)
    }
    const endedListeners = listeners.filter(({ subscriptionSeconds }) => subscriptionSeconds <= SECONDS)
    await Promise.all(endedListeners.map(({ done }) => done))
    const problems = listeners.flatMap(({ name, subscriptionSeconds, received }) => {
      const dueCount = Math.round((alerts * Math.min(subscriptionSeconds, SECONDS)) / SECONDS)
      const hasReceivedAll = received.length === dueCount && received.every((index, position) => index === position)
      return hasReceivedAll ? [] : [`${name} received ${received.length} of ${dueCount}`]
    })
    return { problems, deliveries: listeners.reduce((sum, { received }) => sum + received.length, 0) }
  } finally {
    await instance.stop()
    await database.stop()
  }

  async function addListener(listenerIndex: number, isWitness: boolean): Promise<Listener> {
    const name = `person ${listenerIndex}`
    const wallet = `0x${(listenerIndex + 1).toString(16).padStart(40, '0')}`
    const subscriptionSeconds = isWitness ? SECONDS + 1 : random() < 0.2 ? 0 : 1 + Math.floor(random() * SECONDS)
    const now = clock.now()
    const sessionId = `00000000-0000-4000-8000-${String(listenerIndex).padStart(12, '0')}`
    accounts.actors.set(name, testActor(name, { sessionId, name, provedWallets: [wallet], authenticatedAt: now }))
    if (subscriptionSeconds > 0) {
      const endsAt = new Date(now.getTime() + subscriptionSeconds * SECOND_MS)
      accounts.entitlements.set(name, { planId: '24h', startsAt: now, endsAt })
    }
    const headers = {
      cookie: name,
      origin: publicUrl,
      'x-forwarded-for': `10.0.${listenerIndex >> 8}.${listenerIndex & 255}`,
    }
    const ws = new WebSocket(instance.url, { headers })
    const received: number[] = []
    const isReady = new Promise<void>((resolve) => {
      ws.on('open', () => ws.send(JSON.stringify({ type: 'authenticate', walletAddress: wallet })))
      ws.on('message', (data) => {
        const text = String(data)
        if (/"type":"(live|authentication_failed)"/.test(text)) resolve()
        if (text.startsWith('{"type":"new_alert"')) received.push(Number(/"logIndex":(\d+)/.exec(text)?.[1]))
      })
    })
    const isDone =
      subscriptionSeconds === 0 ? isReady : new Promise<void>((resolve) => ws.once('close', () => resolve()))
    await isReady
    return { name, subscriptionSeconds, received, done: isDone }
  }
}
