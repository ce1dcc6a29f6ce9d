import { afterEach, expect, test, vi } from 'vitest'
import { fakeCaches } from '../../test/support/fake-caches.ts'
import { serveShell } from './shell.ts'
import type { WorkerScope } from './worker-scope.ts'

afterEach(() => vi.unstubAllGlobals())

/** Installs the service worker of a build. Returns the names of the caches afterwards. */
async function install({ failingFile }: { failingFile?: string } = {}): Promise<string[]> {
  const { stored, storage } = fakeCaches()
  vi.stubGlobal('SHELL', { build: 'new', page: '/assets/app-shell-1.html', files: ['/theme.js', '/assets/app-1.js'] })
  vi.stubGlobal('fetch', async (file: string) => new Response(file, { status: file === failingFile ? 404 : 200 }))
  vi.stubGlobal('caches', {
    ...storage,
    open: async (name: string) => {
      const cache = await storage.open(name)
      const put = async (file: string, response: Response) => {
        if (failingFile === `put ${file}`) throw new DOMException('The quota is exceeded', 'QuotaExceededError')
        await cache.put(file, response)
      }
      return { ...cache, put }
    },
  })
  let installation: Promise<unknown> | undefined
  const scope = {
    addEventListener: (type: string, listener: (event: object) => void) => {
      if (type !== 'install') return
      const waitUntil = (work: Promise<unknown>) => {
        installation = work
      }
      listener({ waitUntil })
    },
    skipWaiting: async () => {},
  }
  serveShell(scope as unknown as WorkerScope)
  await installation?.catch(() => {})
  return [...stored.keys()]
}

test('install: stores the files of the build', async () => {
  expect(await install()).toEqual(['shell-new'])
})

test.each([
  ['loaded', '/assets/app-1.js'],
  ['stored', 'put /assets/app-1.js'],
])('install: leaves no cache when a file cannot be %s', async (_name, failingFile) => {
  expect(await install({ failingFile })).toEqual([])
})
