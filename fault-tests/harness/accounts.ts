import { setTimeout as delay } from 'node:timers/promises'
import { testAccount } from '@tocsin/testkit'
import { type Browser, createBrowser, readText } from './browser.ts'
import type { Chain } from './chain.ts'
import { getLoopbackAddress } from './http-client.ts'
import type { Journal } from './journal.ts'
import { findCanary } from './received-alerts.ts'

/** Simulated users who issue alerts, buy, sign in, and read without a subscription. */

export interface Fixture {
  journal: Journal
  port: number
  chain: Chain
  random: () => number
  stopped: AbortSignal
}

const ITO = 10n ** 18n
const PRICE_WEI = 10n * ITO
const FIRST_BUYER = 20_000
/** Number of the first visitor's address and account. The readers use the two numbers before it. */
export const FIRST_VISITOR = 40_000
const BUYER_EVERY_MS = 12_000
const LOG_IN_EVERY_MS = 10_000
const ADMIN_EVERY_MS = 1_000
const READ_EVERY_MS = 700
const PURCHASE_POLL_MS = 2_000
const PURCHASE_POLLS = 20

/** Issues an alert every second. Retries a failed request with the same Idempotency-Key. */
export async function issueAlerts({ journal, port, stopped }: Fixture, admin: Browser): Promise<void> {
  const pendingRequests: Promise<void>[] = []
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
    const issueAlert = async () => {
      const { alert } = Object(await admin.postWithRetry('/api/alerts', body, `fault-test-${port}-${number}`))
      entry.acknowledged = { id: String(alert.id), logIndex: Number(alert.logIndex), atMs: Date.now() }
    }
    pendingRequests.push(issueAlert().catch(() => {}))
    await sleepUntilAborted(ADMIN_EVERY_MS, stopped)
  }
  await Promise.all(pendingRequests)
}

/**
 * Simulates new customers one after the other: some create an order and some do not, some pay a
 * wrong amount, and some leave after paying.
 */
export async function buyRepeatedly(fixture: Fixture): Promise<void> {
  for (let number = 0; !fixture.stopped.aborted; number += 1) {
    await buyPlan(fixture, number).catch(() => {})
    await sleepUntilAborted(BUYER_EVERY_MS * fixture.random(), fixture.stopped)
  }
}

async function buyPlan(fixture: Fixture, number: number): Promise<void> {
  const { chain, port, random, stopped } = fixture
  const wallet = testAccount(FIRST_BUYER + number)
  await chain.fund(wallet.address, PRICE_WEI, number)
  const browser = createBrowser(fixture, getLoopbackAddress(FIRST_BUYER + number))
  await browser.signInWithWallet(wallet)
  const randomShare = random()
  if (randomShare < 0.5) {
    await browser.postWithRetry(
      '/api/orders',
      { planType: '6h', walletAddress: wallet.address },
      `order-${port}-${number}`,
    )
  }
  await chain.pay(wallet, randomShare > 0.8 ? PRICE_WEI / 3n : PRICE_WEI)
  if (randomShare > 0.7) return
  for (let pollNumber = 0; pollNumber < PURCHASE_POLLS && !stopped.aborted; pollNumber += 1) {
    if (await hasSubscription(browser)) return
    await sleepUntilAborted(PURCHASE_POLL_MS, stopped)
  }
}

async function hasSubscription(browser: Browser): Promise<boolean> {
  const { status, body } = await browser.send('/api/auth/user')
  const accountId: unknown = status === 200 ? JSON.parse(body).user?.id : undefined
  if (accountId === undefined) return false
  const active = await browser.send(`/api/subscriptions/active/${accountId}`)
  return active.status === 200 && active.body !== 'null'
}

/** Signs in users with a password, one after the other. */
export async function logInRepeatedly(fixture: Fixture, users: readonly Credentials[]): Promise<void> {
  const { stopped } = fixture
  for (let number = 0; !stopped.aborted; number += 1) {
    const user = users[number % users.length]
    const browser = createBrowser(fixture, getLoopbackAddress(number))
    if (user) await browser.postWithRetry('/api/auth/login', user).catch(() => {})
    await browser.send('/api/auth/user')
    await sleepUntilAborted(LOG_IN_EVERY_MS, stopped)
  }
}

const PUBLIC_PATHS = [
  '/api/alerts/recent',
  '/api/alerts/public',
  '/api/alerts/search?q=canary',
  '/api/track-record',
  '/api/alerts/pulse',
  '/feeds/alerts.json',
]

/**
 * Reads pages that are open to readers without a subscription, and searches them for alert content.
 */
export async function readPublicPages(fixture: Fixture): Promise<void> {
  const { journal, stopped } = fixture
  const signedIn = createBrowser(fixture, getLoopbackAddress(FIRST_VISITOR - 1))
  await signedIn.signInWithWallet(testAccount(FIRST_VISITOR - 1)).catch(() => {})
  const readers = { 'a visitor': createBrowser(fixture, getLoopbackAddress(FIRST_VISITOR - 2)), 'a user': signedIn }
  for (let readNumber = 0; !stopped.aborted; readNumber += 1) {
    const path =
      [...PUBLIC_PATHS, ...(await listNewestLogPaths(readers['a visitor']))][readNumber % (PUBLIC_PATHS.length + 2)] ??
      '/'
    for (const [reader, browser] of Object.entries(readers)) {
      const { status, body } = await browser.send(path)
      if (status !== 200) continue
      journal.unentitledReads += 1
      const canary = findCanary(body)
      if (canary !== '') journal.leaks.push({ reader: `${reader}, ${path}`, atMs: Date.now(), canary })
    }
    await sleepUntilAborted(READ_EVERY_MS, stopped)
  }
}

/**
 * Returns the paths of log pages that contain the newest entries. These entries are not public yet.
 */
async function listNewestLogPaths(browser: ReturnType<typeof createBrowser>): Promise<string[]> {
  const { status, body } = await browser.send('/api/log/head')
  const fromIndex = status === 200 ? Math.max(0, JSON.parse(body).size - 100) : 0
  return [`/api/log/entries?from=${fromIndex}`, `/api/log/messages?from=${fromIndex}`]
}

export interface Credentials {
  email: string
  password: string
}

/** Signs in the first admin with a new session. */
export async function signInAdmin(fixture: Fixture, user: Credentials): Promise<Browser> {
  const browser = createBrowser(fixture, getLoopbackAddress(1))
  readText(Object(await browser.postWithRetry('/api/auth/login', user)).user, 'id')
  return browser
}

export async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
