import type { StreamOptions } from '@tocsin/client'
import { expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../api/queries.ts'
import { openAccountStream } from './account-stream.ts'

const opened = vi.hoisted((): StreamOptions[] => [])
vi.mock('@tocsin/client', () => ({
  bySession: () => ({}),
  openAlertStream: (options: StreamOptions) => {
    opened.push(options)
    return { state: 'live', probe: () => {}, close: () => {} }
  },
}))
vi.stubGlobal('location', { origin: 'http://localhost' })
vi.stubGlobal('window', new EventTarget())

test.each([
  ['recent', { missed: 0, recovered: true, isFirst: true }, [true, false]],
  ['all', { missed: 3, recovered: true, isFirst: false }, [true, true]],
  ['all', { missed: 0, recovered: false, isFirst: true }, [true, true]],
] as const)('openAccountStream: reads %s alerts again when it is live: %o', async (_which, about, expected) => {
  const client = createQueryClient()
  const keys = [queries.recentAlerts.queryKey, queries.userAlerts('u-1').queryKey] as const
  for (const key of keys) client.setQueryData(key, [])
  const nothing = () => {}
  const callbacks = { announce: nothing, announceOutcome: nothing, announceMissed: nothing }
  const close = openAccountStream(client, { userId: 'u-1', walletAddress: '0x1', ...callbacks })
  opened.at(-1)?.onLive?.(about)
  const invalidated = () => keys.map((key) => client.getQueryState(key)?.isInvalidated)
  await expect.poll(invalidated).toEqual(expected)
  close()
})
