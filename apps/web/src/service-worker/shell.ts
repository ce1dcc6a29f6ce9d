import type { WorkerScope } from './worker-scope.ts'

/**
 * Constants that the build inserts: `build` is a digest of the files. `page` is the path of the
 * page without content, which the router fills according to the URL. `files` are the paths of this
 * page and of all scripts, styles, fonts and icons.
 */
declare const SHELL: { build: string; page: string; files: readonly string[] }

const CACHE_PREFIX = 'shell-'
/**
 * Number of builds in the cache: the running build, and a former one that open tabs may still use.
 */
const KEPT_BUILDS = 2
const MAX_CONCURRENT_LOADS = 3
const HASHED_FILE_PATTERN = /^\/assets\/[\w.-]+\.\w+$/
/**
 * Statuses that a reverse proxy sends while the server does not answer, for example during an
 * update.
 */
const GATEWAY_ERRORS = [502, 503, 504]

/**
 * Opens every page of the app without a network. Caches only files that are the same for every
 * user: scripts, styles, fonts, icons and the page without content. API responses and pages with
 * content from the server are never cached.
 */
export function serveShell(worker: WorkerScope): void {
  worker.addEventListener('install', (event) => {
    event.waitUntil(storeShell().then(() => worker.skipWaiting()))
  })
  worker.addEventListener('activate', (event) => {
    event.waitUntil(
      Promise.all([dropOldShells(), worker.clients.claim(), worker.registration.navigationPreload?.enable()]),
    )
  })
  worker.addEventListener('fetch', (event) => {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (request.method !== 'GET' || origin !== worker.location.origin) return
    if (request.mode === 'navigate') {
      // Do not handle the embed, which other sites show in a frame.
      if (request.destination === 'document') event.respondWith(openPage(request, event.preloadResponse))
    } else if (HASHED_FILE_PATTERN.test(pathname)) {
      event.respondWith(findStoredResponse(request).then((storedResponse) => storedResponse ?? fetch(request)))
    } else if (SHELL.files.includes(pathname)) {
      event.respondWith(
        fetch(request).catch(async (error) => (await findStoredResponse(request)) ?? Promise.reject(error)),
      )
    }
  })
}

/**
 * Stores all files or none. Hashed files that an earlier build contains are not fetched again. The
 * page is stored together with the scripts, so that both always belong to the same build.
 */
async function storeShell(): Promise<void> {
  const responses = new Map<string, Response>()
  const waitingFiles = [...SHELL.files]
  const loadNext = async (): Promise<void> => {
    const file = waitingFiles.shift()
    if (file === undefined) return
    responses.set(file, await loadFile(file))
    return loadNext()
  }
  // Fetch only a few files at a time, because the page needs connections too.
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LOADS }, loadNext))
  const shell = await caches.open(CACHE_PREFIX + SHELL.build)
  try {
    await Promise.all([...responses].map(([file, response]) => shell.put(file, response)))
  } catch (error) {
    // For example, the quota is exceeded.
    await caches.delete(CACHE_PREFIX + SHELL.build)
    throw error
  }
}

async function loadFile(file: string): Promise<Response> {
  const isHashed = HASHED_FILE_PATTERN.test(file)
  const storedResponse = isHashed ? await findStoredResponse(file) : undefined
  const response = storedResponse ?? (await fetch(file, { cache: isHashed ? 'default' : 'no-cache', priority: 'low' }))
  if (!response.ok) throw new TypeError(`${file} returned ${response.status}`)
  return response
}

async function dropOldShells(): Promise<void> {
  const names = (await caches.keys()).filter(
    (name) => name.startsWith(CACHE_PREFIX) && name !== CACHE_PREFIX + SHELL.build,
  )
  for (const name of names.slice(0, names.length + 1 - KEPT_BUILDS)) await caches.delete(name)
}

/**
 * Finds a file in the cache, first in the running build and then in the others. Does not use
 * `open`, which would create the cache of a build that is not stored.
 */
async function findStoredResponse(file: Request | string): Promise<Response | undefined> {
  for (const cacheName of [CACHE_PREFIX + SHELL.build, ...(await caches.keys())]) {
    if (!cacheName.startsWith(CACHE_PREFIX)) continue
    const storedResponse = await caches.match(file, { ignoreVary: true, cacheName })
    if (storedResponse) return storedResponse
  }
}

async function openPage(request: Request, preload: Promise<Response | undefined> | undefined): Promise<Response> {
  const pageLoad = Promise.resolve(preload).then((response) => response ?? fetch(request))
  const response = await pageLoad.catch(() => null)
  if (response && !GATEWAY_ERRORS.includes(response.status)) return response
  return (await findStoredResponse(SHELL.page)) ?? pageLoad
}
