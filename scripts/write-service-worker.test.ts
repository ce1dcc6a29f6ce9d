import { expect, test } from 'vitest'
import { ONLINE_ONLY_CHUNKS, selectOfflineFiles } from './write-service-worker.ts'

const onlineOnlyFiles = ONLINE_ONLY_CHUNKS.map((chunk) => `${chunk}-Bm4t2-_5.js`)

test('service worker: stores neither the chunks of the admin area nor fonts for scripts other than Latin', () => {
  const fonts = ['martian-mono-latin-ext-standard-normal-1.woff2', 'martian-mono-cyrillic-standard-normal-1.woff2']
  const offlineFiles = [
    'admin-auth-page-1.js',
    'app-1.js',
    'martian-mono-latin-standard-normal-1.woff2',
    'styles-1.css',
  ]
  expect(onlineOnlyFiles).toContain('support-messages-tab-Bm4t2-_5.js')
  expect(selectOfflineFiles([...offlineFiles, ...fonts, ...onlineOnlyFiles].reverse())).toEqual(offlineFiles)
})

test('service worker: the build fails when a chunk that the service worker must not store was renamed', () => {
  const renamedFiles = onlineOnlyFiles.map((name) => name.replace('support-messages-tab', 'letters-tab'))
  expect(() => selectOfflineFiles(renamedFiles)).toThrow('chunks that were not built: support-messages-tab')
})
