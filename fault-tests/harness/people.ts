import { setTimeout as delay } from 'node:timers/promises'
import { testAccount } from '@tocsin/testkit'
import { type Browser, createBrowser, readText } from './browser.ts'
import type { Chain } from './chain.ts'
import { addressOf, PUBLIC_URL } from './http-client.ts'
import { findCanary, type Journal, type SessionRecord } from './journal.ts'
import { createSocketClass } from './subscribers.ts'

/** People who issue alerts, buy, sign in and out, and read without a right to. */

export interface Scene {
  journal: Journal
  port: number
  chain: Chain
  random: () => number
  stopped: AbortSignal
}

const ITO = 10n ** 18n
const PRICE_WEI = 10n * ITO
const FIRST_BUYER = 20_000
const FIRST_VISITOR = 40_000
const BUYER_EVERY_MS = 12_000
const VISITOR_EVERY_MS = 5_000
const LOG_IN_EVERY_MS = 10_000
const ADMIN_EVERY_MS = 1_000
const READ_EVERY_MS = 700
const PURCHASE_POLL_MS = 2_000
const PURCHASE_POLLS = 20
const LATER_USES = 4

/** Issues an alert every second. An unanswered request is repeated with the same key. */
export async function issueAlerts({ journal, port, stopped }: Scene, admin: Browser): Promise<void> {
  const pending: Promise<void>[] = []
  for (let number = 1; !stopped.aborted; number += 1) {
    const canary = `canary-admin-${number}-`
    const entry: Journal['issued'][number] = {
      source: 'admin',
      canary,
      signalId: null,
      sentAtMs: Date.now(),
      acknowledged: null,
    }
    journal.issued.push(entry)
    const body = { asset: `A${number}/USDT`, summary: `Fault test ${canary}`, confidence: 80, priority: 'medium' }
    const issue = async () => {
      const { alert } = Object(await admin.insist('/api/alerts', body, `fault-test-${port}-${number}`))
      entry.acknowledged = { id: String(alert.id), logIndex: Number(alert.logIndex), atMs: Date.now() }
    }
    pending.push(issue().catch(() => {}))
    await sleep(ADMIN_EVERY_MS, stopped)
  }
  await Promise.all(pending)
}

/** New customers: with an order, without one, with a wrong amount, or gone after paying. */
export async function buyAgainAndAgain(scene: Scene): Promise<void> {
  for (let number = 0; !scene.stopped.aborted; number += 1) {
    await buy(scene, number).catch(() => {})
    await sleep(BUYER_EVERY_MS * scene.random(), scene.stopped)
  }
}

async function buy(scene: Scene, number: number): Promise<void> {
  const { chain, port, random, stopped } = scene
  const wallet = testAccount(FIRST_BUYER + number)
  await chain.fund(wallet.address, PRICE_WEI, number)
  const browser = createBrowser(scene, addressOf(FIRST_BUYER + number))
  await browser.signInWithWallet(wallet)
  const way = random()
  if (way < 0.5) {
    await browser.insist('/api/orders', { planType: '6h', walletAddress: wallet.address }, `order-${port}-${number}`)
  }
  await chain.pay(wallet, way > 0.8 ? PRICE_WEI / 3n : PRICE_WEI)
  if (way > 0.7) return
  for (let poll = 0; poll < PURCHASE_POLLS && !stopped.aborted; poll += 1) {
    const { status, body } = await browser.send('/api/auth/user')
    const accountId: unknown = status === 200 ? JSON.parse(body).user?.id : undefined
    if (accountId === undefined) continue
    const active = await browser.send(`/api/subscriptions/active/${accountId}`)
    if (active.status === 200 && active.body !== 'null') return
    await sleep(PURCHASE_POLL_MS, stopped)
  }
}

/** Visitors who sign in, open a socket, and sign out; later their cookie is tried again. */
export async function visitAgainAndAgain(scene: Scene): Promise<void> {
  const visits: Promise<void>[] = []
  for (let number = 0; !scene.stopped.aborted; number += 1) {
    visits.push(visit(scene, number).catch(() => {}))
    await sleep(VISITOR_EVERY_MS, scene.stopped)
  }
  await Promise.all(visits)
}

async function visit(scene: Scene, number: number): Promise<void> {
  const { journal, port, random, stopped } = scene
  const from = addressOf(FIRST_VISITOR + number)
  const browser = createBrowser(scene, from)
  await browser.signInWithWallet(testAccount(FIRST_VISITOR + number))
  const Socket = createSocketClass({ localAddress: from, headers: { cookie: browser.cookie(), origin: PUBLIC_URL } })
  const socket = new Socket(`ws://127.0.0.1:${port}/ws`)
  const seen: NonNullable<SessionRecord['socket']> = { closedAtMs: null }
  let isOpen = false
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const canary = findCanary(data.toString())
    if (canary !== '') journal.leaks.push({ reader: `visitor ${number}, socket`, atMs: Date.now(), canary })
  })
  socket.on('open', () => {
    isOpen = true
  })
  socket.on('close', () => {
    seen.closedAtMs = Date.now()
  })
  await sleep(1_000 + 10_000 * random(), stopped)
  const cookie = browser.cookie()
  await browser.insist('/api/auth/logout', {})
  const record: SessionRecord = {
    name: `visitor ${number}`,
    endedAtMs: Date.now(),
    laterUses: [],
    socket: isOpen ? seen : null,
  }
  journal.sessions.push(record)
  for (let use = 0; use < LATER_USES; use += 1) {
    await sleep(1_500, stopped)
    const other = createBrowser(scene, from)
    const atMs = Date.now()
    const { status, body } = await other.send('/api/auth/user', { headers: { cookie } })
    if (status === 200) record.laterUses.push({ atMs, isAccepted: JSON.parse(body).user !== null })
  }
  socket.close()
}

/** Users with a password, in turn. */
export async function logInAgainAndAgain(
  scene: Scene,
  users: readonly { email: string; password: string }[],
): Promise<void> {
  const { stopped } = scene
  for (let number = 0; !stopped.aborted; number += 1) {
    const user = users[number % users.length]
    const browser = createBrowser(scene, addressOf(number))
    if (user) await browser.insist('/api/auth/login', user).catch(() => {})
    await browser.send('/api/auth/user')
    await sleep(LOG_IN_EVERY_MS, stopped)
  }
}

const OPEN_PATHS = [
  '/api/alerts/recent',
  '/api/alerts/public',
  '/api/alerts/search?q=canary',
  '/api/track-record',
  '/api/alerts/pulse',
  '/feeds/alerts.json',
]

/** Readers without a subscription look for content in everything that they can read. */
export async function readWithoutRight(scene: Scene): Promise<void> {
  const { journal, stopped } = scene
  const signedIn = createBrowser(scene, addressOf(FIRST_VISITOR - 1))
  await signedIn.signInWithWallet(testAccount(FIRST_VISITOR - 1)).catch(() => {})
  const readers = { 'a visitor': createBrowser(scene, addressOf(FIRST_VISITOR - 2)), 'a user': signedIn }
  for (let turn = 0; !stopped.aborted; turn += 1) {
    const path = [...OPEN_PATHS, ...(await newestLogPaths(readers['a visitor']))][turn % (OPEN_PATHS.length + 2)] ?? '/'
    for (const [reader, browser] of Object.entries(readers)) {
      const { status, body } = await browser.send(path)
      if (status !== 200) continue
      journal.unentitledReads += 1
      const canary = findCanary(body)
      if (canary !== '') journal.leaks.push({ reader: `${reader}, ${path}`, atMs: Date.now(), canary })
    }
    await sleep(READ_EVERY_MS, stopped)
  }
}

/** The pages with the newest entries, which are not public yet. */
async function newestLogPaths(browser: ReturnType<typeof createBrowser>): Promise<string[]> {
  const { status, body } = await browser.send('/api/log/head')
  const from = status === 200 ? Math.max(0, JSON.parse(body).size - 100) : 0
  return [`/api/log/entries?from=${from}`, `/api/log/messages?from=${from}`]
}

/** The session of the first admin. */
export async function signInAdmin(scene: Scene, user: { email: string; password: string }) {
  const browser = createBrowser(scene, addressOf(1))
  readText(Object(await browser.insist('/api/auth/login', user)).user, 'id')
  return browser
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
