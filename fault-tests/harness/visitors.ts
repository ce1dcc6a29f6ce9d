import { setTimeout as delay } from 'node:timers/promises'
import { testAccount } from '@tocsin/testkit'
import { type Credentials, FIRST_VISITOR, type Fixture, signInAdmin, sleep } from './accounts.ts'
import { createBrowser, readText } from './browser.ts'
import type { ExpiringSession } from './customers.ts'
import { getAddress, PUBLIC_URL } from './http-client.ts'
import type { SessionRecord } from './journal.ts'
import { findCanary } from './received-alerts.ts'
import { pick } from './schedule.ts'
import { createSocketClass } from './subscribers.ts'

/** Simulated users without a subscription. Their sessions end while their socket is open. */

const VISITOR_EVERY_MS = 5_000
const FIRST_EXPIRING = 45_000
const LATER_USES = 4
const LATER_USE_EVERY_MS = 1_500
const RETRY_MS = 500
const POLL_MS = 100
/**
 * Time for which an open socket is watched. It exceeds the time for which a fault may keep an
 * instance from learning of the end of a session.
 */
const WATCH_MS = 60_000

const ways = ['log-out', 'log-out', 'end of other sessions', 'suspension'] as const

/**
 * Simulates visitors who sign in and open a socket. Their session is then ended, and their cookie
 * is tried again later.
 */
export async function visitRepeatedly(fixture: Fixture, admin: Credentials): Promise<void> {
  const visits: Promise<void>[] = []
  for (let number = 0; !fixture.stopped.aborted; number += 1) {
    visits.push(visit(fixture, number, admin).catch(() => {}))
    await sleep(VISITOR_EVERY_MS, fixture.stopped)
  }
  await Promise.all(visits)
}

async function visit(fixture: Fixture, number: number, admin: Credentials): Promise<void> {
  const from = getAddress(FIRST_VISITOR + number)
  const wallet = testAccount(FIRST_VISITOR + number)
  const browser = createBrowser(fixture, from)
  await browser.signInWithWallet(wallet)
  const cookie = browser.cookie()
  const name = `visitor ${number}`
  const socket = openSocket(fixture, { name, from, cookie })
  try {
    await sleep(1_000 + 10_000 * fixture.random(), fixture.stopped)
    const way = pick(ways, fixture.random())
    const wasOpen = socket.isOpen()
    if (way === 'log-out') await browser.postWithRetry('/api/auth/logout', {})
    else if (way === 'suspension') {
      const { body } = await browser.send('/api/auth/user')
      const { id } = readText(JSON.parse(body).user, 'id')
      // Sign in again, because a suspension needs a recent sign-in.
      const staff = await signInAdmin(fixture, admin)
      await staff.postWithRetry(`/api/admin/users/${id}/suspend`, { reason: 'Fault test' })
    } else {
      const other = createBrowser(fixture, from)
      await other.signInWithWallet(wallet)
      await other.postWithRetry('/api/auth/sessions/end-others', {})
    }
    const ended = { name, way, endedAtMs: Date.now(), laterUses: [], socket: null }
    await observeEnd(fixture, ended, { from, cookie, socket: wasOpen ? socket : null })
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
  const visitor = { name: `expiring session ${number}`, from: getAddress(FIRST_EXPIRING + number), cookie }
  let socket = openSocket(fixture, visitor)
  while (Date.now() < expiresAtMs && !fixture.stopped.aborted) {
    if (socket.closedAtMs() !== null) socket = openSocket(fixture, visitor)
    await sleep(Math.min(RETRY_MS, Math.max(0, expiresAtMs - Date.now())), fixture.stopped)
  }
  const wasOpen = socket.isOpen()
  const ended = { name: visitor.name, way: 'expiry' as const, endedAtMs: expiresAtMs, laterUses: [], socket: null }
  if (Date.now() >= expiresAtMs)
    await observeEnd(fixture, ended, { ...visitor, socket: wasOpen ? socket : null }).catch(() => {})
  socket.close()
}

/** Tries the cookie again, and watches the socket until the server closes it. */
async function observeEnd(
  fixture: Fixture,
  ended: SessionRecord,
  { from, cookie, socket }: { from: string; cookie: string; socket: VisitorSocket | null },
): Promise<void> {
  const record: SessionRecord = { ...ended }
  for (let use = 0; use < LATER_USES; use += 1) {
    await sleep(LATER_USE_EVERY_MS, fixture.stopped)
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
