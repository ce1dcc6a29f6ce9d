import { setTimeout as delay } from 'node:timers/promises'
import { testAccount } from '@tocsin/testkit'
import { type Credentials, FIRST_VISITOR, type Fixture, signInAdmin, sleepUntilAborted } from './accounts.ts'
import { createBrowser, readText } from './browser.ts'
import type { ExpiringSession } from './customers.ts'
import { getLoopbackAddress, PUBLIC_URL } from './http-client.ts'
import type { SessionRecord } from './journal.ts'
import { findCanary } from './received-alerts.ts'
import { pickByChoice } from './schedule.ts'
import { createSocketClass } from './subscribers.ts'

/** Simulated users without a subscription. Their sessions end while their socket is open. */

const VISITOR_EVERY_MS = 5_000
const FIRST_EXPIRING_ACCOUNT = 45_000
const LATER_USE_COUNT = 4
const LATER_USE_EVERY_MS = 1_500
const RETRY_MS = 500
const POLL_MS = 100
/**
 * Time for which an open socket is watched. It exceeds the time for which a fault may keep an
 * instance from learning of the end of a session.
 */
const WATCH_MS = 60_000

const sessionEndWays = ['log-out', 'log-out', 'end of other sessions', 'suspension'] as const

/**
 * Simulates visitors who sign in and open a socket. Their session is then ended, and their cookie
 * is tried again later.
 */
export async function visitRepeatedly(fixture: Fixture, admin: Credentials): Promise<void> {
  const pendingVisits: Promise<void>[] = []
  for (let number = 0; !fixture.stopped.aborted; number += 1) {
    pendingVisits.push(simulateVisit(fixture, number, admin).catch(() => {}))
    await sleepUntilAborted(VISITOR_EVERY_MS, fixture.stopped)
  }
  await Promise.all(pendingVisits)
}

async function simulateVisit(fixture: Fixture, number: number, admin: Credentials): Promise<void> {
  const from = getLoopbackAddress(FIRST_VISITOR + number)
  const wallet = testAccount(FIRST_VISITOR + number)
  const browser = createBrowser(fixture, from)
  await browser.signInWithWallet(wallet)
  const cookie = browser.cookie()
  const name = `visitor ${number}`
  const socket = openSocket(fixture, { name, from, cookie })
  try {
    await sleepUntilAborted(1_000 + 10_000 * fixture.random(), fixture.stopped)
    const sessionEndWay = pickByChoice(sessionEndWays, fixture.random())
    const wasSocketOpen = socket.isOpen()
    if (sessionEndWay === 'log-out') await browser.postWithRetry('/api/auth/logout', {})
    else if (sessionEndWay === 'suspension') {
      const { body } = await browser.send('/api/auth/user')
      const { id } = readText(JSON.parse(body).user, 'id')
      // Sign in again, because a suspension needs a recent sign-in.
      const staff = await signInAdmin(fixture, admin)
      await staff.postWithRetry(`/api/admin/users/${id}/suspend`, { reason: 'Fault test' })
    } else {
      const otherBrowser = createBrowser(fixture, from)
      await otherBrowser.signInWithWallet(wallet)
      await otherBrowser.postWithRetry('/api/auth/sessions/end-others', {})
    }
    const endedSession = { name, way: sessionEndWay, endedAtMs: Date.now(), laterUses: [], socket: null }
    await observeEndedSession(fixture, endedSession, { from, cookie, socket: wasSocketOpen ? socket : null })
  } finally {
    socket.close()
  }
}

/** Keeps a socket open until the session expires. Reconnects when an instance restarts. */
export async function expireWithOpenSocket(
  fixture: Fixture,
  { cookie, expiresAtMs }: ExpiringSession,
  number: number,
): Promise<void> {
  const visitor = {
    name: `expiring session ${number}`,
    from: getLoopbackAddress(FIRST_EXPIRING_ACCOUNT + number),
    cookie,
  }
  let socket = openSocket(fixture, visitor)
  while (Date.now() < expiresAtMs && !fixture.stopped.aborted) {
    if (socket.closedAtMs() !== null) socket = openSocket(fixture, visitor)
    await sleepUntilAborted(Math.min(RETRY_MS, Math.max(0, expiresAtMs - Date.now())), fixture.stopped)
  }
  const wasSocketOpen = socket.isOpen()
  const endedSession = {
    name: visitor.name,
    way: 'expiry' as const,
    endedAtMs: expiresAtMs,
    laterUses: [],
    socket: null,
  }
  if (Date.now() >= expiresAtMs)
    await observeEndedSession(fixture, endedSession, { ...visitor, socket: wasSocketOpen ? socket : null }).catch(
      () => {},
    )
  socket.close()
}

/** Tries the cookie again, and watches the socket until the server closes it. */
async function observeEndedSession(
  fixture: Fixture,
  ended: SessionRecord,
  { from, cookie, socket }: { from: string; cookie: string; socket: VisitorSocket | null },
): Promise<void> {
  const record: SessionRecord = { ...ended }
  for (let useNumber = 0; useNumber < LATER_USE_COUNT; useNumber += 1) {
    await sleepUntilAborted(LATER_USE_EVERY_MS, fixture.stopped)
    const browser = createBrowser(fixture, from)
    const atMs = Date.now()
    const { status, body } = await browser.send('/api/auth/user', { headers: { cookie } })
    if (status === 200) record.laterUses.push({ atMs, isAccepted: JSON.parse(body).user !== null })
  }
  // Watch the socket for WATCH_MS even if the run ends earlier. `checkSocketClosures` ignores an
  // open socket that was not watched until its limit.
  while (socket?.closedAtMs() === null && Date.now() < record.endedAtMs + WATCH_MS) await delay(POLL_MS)
  if (socket) record.socket = { closedAtMs: socket.closedAtMs(), watchedUntilMs: Date.now() }
  fixture.journal.sessions.push(record)
}

interface VisitorSocket {
  isOpen(): boolean
  closedAtMs(): number | null
  close(): void
}

/** Opens a socket and searches everything that it receives for alert content. */
function openSocket(
  { journal, port }: Fixture,
  { name, from, cookie }: { name: string; from: string; cookie: string },
): VisitorSocket {
  const Socket = createSocketClass({ localAddress: from, headers: { cookie, origin: PUBLIC_URL } })
  const socket = new Socket(`ws://127.0.0.1:${port}/ws`)
  let closedAtMs: number | null = null
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const canary = findCanary(data.toString())
    if (canary !== '') journal.leaks.push({ reader: `${name}, socket`, atMs: Date.now(), canary })
  })
  socket.on('close', () => {
    closedAtMs = Date.now()
  })
  return {
    isOpen: () => socket.readyState === Socket.OPEN,
    closedAtMs: () => closedAtMs,
    close: () => socket.close(),
  }
}
