import type { WorkerScope } from './worker-scope.ts'

/** Set by the build: the digest of the files, and the paths of scripts, styles, fonts and icons. */
declare const SHELL: { build: string; files: readonly string[] }

/** The page without content, which the router fills by the URL. */
const PAGE = '/app-shell.html'
const PREFIX = 'shell-'
/** The running build, and the one that open tabs may still use. */
const KEPT_BUILDS = 2
const HASHED = /^\/assets\/[\w.-]+\.\w+$/
/** Not pages of the app: redirects to sign-in providers, downloads, frames for other sites. */
const NOT_PAGES = /^\/(?:api|embed|ws)(?:\/|$)/

/**
 * Opens every page of the app without a network. Caches only what is the same for every visitor:
 * scripts, styles, fonts, icons and the empty page. Answers of the API and pages of the server are
 * never cached.
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
      if (!NOT_PAGES.test(pathname)) event.respondWith(openPage(request, event.preloadResponse))
    } else if (HASHED.test(pathname)) {
      event.respondWith(findStored(request).then((stored) => stored ?? fetch(request)))
    } else if (SHELL.files.includes(pathname)) {
      event.respondWith(fetch(request).catch(async (error) => (await findStored(request)) ?? Promise.reject(error)))
    }
  })
}

/** Hashed files that an earlier build had too are not loaded again. */
async function storeShell(): Promise<void> {
  const stored = await Promise.all(SHELL.files.map(async (file) => (HASHED.test(file) ? findStored(file) : undefined)))
  const shell = await caches.open(PREFIX + SHELL.build)
  await Promise.all(SHELL.files.map((file, index) => put(shell, file, stored[index])))
}

async function put(shell: Cache, file: string, stored: Response | undefined): Promise<void> {
  const response = stored ?? (await fetch(file, { cache: HASHED.test(file) ? 'default' : 'no-cache' }))
  if (!response.ok) throw new TypeError(`${file} answers ${response.status}`)
  await shell.put(file, response)
}

async function dropOldShells(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREFIX + SHELL.build)
  for (const name of names.slice(0, names.length + 1 - KEPT_BUILDS)) await caches.delete(name)
}

/** Looks in the running build first. */
async function findStored(file: Request | string): Promise<Response | undefined> {
  const own = await caches.open(PREFIX + SHELL.build)
  const found = await own.match(file, { ignoreVary: true })
  if (found) return found
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX)) continue
    const former = await (await caches.open(name)).match(file, { ignoreVary: true })
    if (former) return former
  }
}

async function openPage(request: Request, preload: Promise<Response | undefined> | undefined): Promise<Response> {
  try {
    return (await preload) ?? (await fetch(request))
  } catch (error) {
    const page = await findStored(PAGE)
    if (page === undefined) throw error
    return page
  }
}
