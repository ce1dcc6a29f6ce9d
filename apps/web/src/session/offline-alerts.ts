/** The names are the same as in public/theme.js. */
const CACHE = 'private-alerts'
const COOKIE = 'kept-alerts'
const LIST = '/kept/alerts'
const AS_OF = '/kept/as-of'
/** Maximum age of offline alerts: the longest duration of a session. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000

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
function readOwner(): string | null {
  const entry = document.cookie.split('; ').find((each) => each.startsWith(`${COOKIE}=`))
  return entry === undefined ? null : entry.slice(COOKIE.length + 1)
}

/** @param maxAgeS null if the cookie lasts until the browser is closed */
function writeOwner(userId: string, maxAgeS: number | null): void {
  const lifetime = maxAgeS === null ? '' : `; max-age=${maxAgeS}`
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous
  document.cookie = `${COOKIE}=${userId}; path=/; samesite=strict${lifetime}${secure}`
}

let running: Promise<unknown> = Promise.resolve()

/** Runs `work` after all earlier calls of this tab. Returns `otherwise` if there is no storage. */
function serialize<T>(work: (storage: CacheStorage) => Promise<T>, otherwise: T): Promise<T> {
  // Cache storage exists only on secure origins, and some browsers block it together with cookies.
  const step = running.then(() => ('caches' in globalThis ? work(caches) : otherwise)).catch(() => otherwise)
  running = step
  return step
}

/**
 * Makes this account the only one whose alerts can be stored, and deletes the offline alerts of
 * another account.
 * @param isRemembered false if the session ends when the browser is closed
 */
export function openOfflineAlerts(userId: string, isRemembered: boolean): void {
  writeOwner(userId, isRemembered ? MAX_AGE_MS / 1000 : null)
  void serialize(async (storage) => {
    const stored = await read(storage)
    if (stored && stored.userId !== userId) await storage.delete(CACHE)
  }, undefined)
}

export async function writeOfflineAlerts(userId: string, alerts: unknown, asOfMs: number): Promise<void> {
  await serialize(async (storage) => {
    if (readOwner() !== userId) return
    const cache = await storage.open(CACHE)
    await cache.put(LIST, new Response(JSON.stringify({ userId, alerts })))
    await cache.put(AS_OF, new Response(String(asOfMs)))
    // Another tab may have ended the session and deleted the cache before this write was complete.
    if (readOwner() !== userId) await storage.delete(CACHE)
  }, undefined)
}

/** Records that the server has confirmed the offline alerts to be the newest at `asOfMs`. */
export async function confirmOfflineAlerts(userId: string, asOfMs: number): Promise<void> {
  await serialize(async (storage) => {
    if (readOwner() !== userId || !(await storage.has(CACHE))) return
    await (await storage.open(CACHE)).put(AS_OF, new Response(String(asOfMs)))
    if (readOwner() !== userId) await storage.delete(CACHE)
  }, undefined)
}

/** Deletes the offline alerts. Call it whenever a session ends. */
export function clearOfflineAlerts(): Promise<void> {
  if (readOwner() !== null) writeOwner('', 0)
  return serialize(async (storage) => void (await storage.delete(CACHE)), undefined)
}

export function readOfflineAlerts(): Promise<OfflineAlerts | null> {
  return serialize(async (storage) => {
    const stored = await read(storage)
    return stored && stored.userId === readOwner() && Date.now() - stored.asOfMs <= MAX_AGE_MS ? stored : null
  }, null)
}

async function read(storage: CacheStorage): Promise<OfflineAlerts | null> {
  if (!(await storage.has(CACHE))) return null
  const cache = await storage.open(CACHE)
  const [list, asOf] = await Promise.all([cache.match(LIST), cache.match(AS_OF)])
  if (!list || !asOf) return null
  return { ...(await list.json()), asOfMs: Number(await asOf.text()) }
}
