import { DAY_MS } from '@tocsin/protocol/durations'

/** `CACHE_NAME` and `COOKIE_NAME` are the same as in public/theme.js. */
const CACHE_NAME = 'private-alerts'
const COOKIE_NAME = 'kept-alerts'
const LIST_PATH = '/kept/alerts'
const AS_OF_PATH = '/kept/as-of'
/** Maximum age of offline alerts: the longest duration of a session. */
const MAX_AGE_MS = 30 * DAY_MS

export interface OfflineAlerts {
  userId: string
  /** JSON as the server sent it. */
  alerts: unknown
  /** When the server last confirmed that the offline alerts are the newest. */
  asOfMs: number
}

/**
 * Returns the id of the account whose alerts can be stored offline, or null. All tabs share the id
 * through a cookie, because a cookie can expire when the browser is closed, like the session. The
 * cookie gives no access.
 */
function readOwnerId(): string | null {
  const entry = document.cookie.split('; ').find((each) => each.startsWith(`${COOKIE_NAME}=`))
  return entry === undefined ? null : entry.slice(COOKIE_NAME.length + 1)
}

/** @param maxAgeSeconds null if the cookie lasts until the browser is closed */
function writeOwnerId(userId: string, maxAgeSeconds: number | null): void {
  const lifetime = maxAgeSeconds === null ? '' : `; max-age=${maxAgeSeconds}`
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous
  document.cookie = `${COOKIE_NAME}=${userId}; path=/; samesite=strict${lifetime}${secure}`
}

let lastWork: Promise<unknown> = Promise.resolve()

/**
 * Runs `work` after all earlier calls of this tab. Returns `fallback` if there is no storage or if
 * `work` fails.
 */
function runInSequence<T>(work: (storage: CacheStorage) => Promise<T>, fallback: T): Promise<T> {
  // Cache storage exists only on secure origins, and some browsers block it together with cookies.
  const step = lastWork.then(() => ('caches' in globalThis ? work(caches) : fallback)).catch(() => fallback)
  lastWork = step
  return step
}

/**
 * Makes this account the only one whose alerts can be stored, and deletes the offline alerts of
 * another account.
 * @param isRemembered false if the session ends when the browser is closed
 */
export function setOfflineAlertsOwner(userId: string, isRemembered: boolean): void {
  writeOwnerId(userId, isRemembered ? MAX_AGE_MS / 1000 : null)
  void runInSequence(async (storage) => {
    const storedAlerts = await readCache(storage)
    if (storedAlerts && storedAlerts.userId !== userId) await storage.delete(CACHE_NAME)
  }, undefined)
}

export async function writeOfflineAlerts(userId: string, alerts: unknown, asOfMs: number): Promise<void> {
  await runInSequence(async (storage) => {
    if (readOwnerId() !== userId) return
    const cache = await storage.open(CACHE_NAME)
    await cache.put(LIST_PATH, new Response(JSON.stringify({ userId, alerts })))
    await cache.put(AS_OF_PATH, new Response(String(asOfMs)))
    // Another tab may have ended the session and deleted the cache before this write was complete.
    if (readOwnerId() !== userId) await storage.delete(CACHE_NAME)
  }, undefined)
}

/** Records that the server has confirmed the offline alerts to be the newest at `asOfMs`. */
export async function confirmOfflineAlerts(userId: string, asOfMs: number): Promise<void> {
  await runInSequence(async (storage) => {
    if (readOwnerId() !== userId || !(await storage.has(CACHE_NAME))) return
    await (await storage.open(CACHE_NAME)).put(AS_OF_PATH, new Response(String(asOfMs)))
    if (readOwnerId() !== userId) await storage.delete(CACHE_NAME)
  }, undefined)
}

/** Deletes the offline alerts. Call it whenever a session ends. */
export function clearOfflineAlerts(): Promise<void> {
  if (readOwnerId() !== null) writeOwnerId('', 0)
  return runInSequence(async (storage) => void (await storage.delete(CACHE_NAME)), undefined)
}

export function readOfflineAlerts(): Promise<OfflineAlerts | null> {
  return runInSequence(async (storage) => {
    const storedAlerts = await readCache(storage)
    return storedAlerts && storedAlerts.userId === readOwnerId() && Date.now() - storedAlerts.asOfMs <= MAX_AGE_MS
      ? storedAlerts
      : null
  }, null)
}

async function readCache(storage: CacheStorage): Promise<OfflineAlerts | null> {
  if (!(await storage.has(CACHE_NAME))) return null
  const cache = await storage.open(CACHE_NAME)
  const [list, asOf] = await Promise.all([cache.match(LIST_PATH), cache.match(AS_OF_PATH)])
  if (!list || !asOf) return null
  return { ...(await list.json()), asOfMs: Number(await asOf.text()) }
}
