// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { formatCheckpoint, signNote } from '@tocsin/proof'
import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { readStoredValue, store } from '../../browser/stored-json.ts'
import { type LogSnapshot, logStepIds } from '../proof/proof-task.ts'
import { getPublishedTrust } from '../proof/trust.ts'
import { useTrust } from '../proof/use-trust.ts'
import { createSeenKey, parseSeenCheckpoint, readNote } from './seen-checkpoint.ts'
import { SelfCheck } from './self-check.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

// Only these fields are read.
const config = {
  anchor: { chainId: 43_114, contract: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', rpcUrl: 'https://node.example/' },
  firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  log: { origin: 'log.example' },
} as unknown as PublicConfig
const seenKey = createSeenKey(getPublishedTrust(config))

const getNote = (size: number) =>
  signNote(formatCheckpoint({ origin: 'log.example', size, root: new Uint8Array(32).fill(size) }), {
    name: 'log.example',
    seed: new Uint8Array(32).fill(7),
  })
/** Stores a verified checkpoint as another tab does. */
const storeSeenInOtherTab = (size: number) => store(seenKey, { note: getNote(size), at: new Date().toISOString() })
const readStoredSize = () => readNote(parseSeenCheckpoint(readStoredValue(seenKey))?.note ?? '')?.size

function SelfCheckOfSite() {
  return <SelfCheck config={config} trustSettings={useTrust(config)} />
}

/** Opens the panel for a log of `site.size` entries, with a worker that passes every check. */
function openPanel() {
  const site = { size: 7, duringCheck: () => {} }
  const logs: LogSnapshot[] = []
  class FakeWorker extends EventTarget {
    postMessage({ id, task: { log } }: { id: number; task: { log: LogSnapshot } }) {
      logs.push(log)
      site.duringCheck()
      const result = {
        steps: logStepIds.map((step) => ({ id: step, status: 'passed', reason: 'Right' })),
        checkpoint: readNote(log.note),
        nodeUsage: { rpcUrl: 'https://node.example/', requestCount: 1, problem: null, tookMs: 12 },
      }
      this.dispatchEvent(new MessageEvent('message', { data: { id, kind: 'done', result } }))
    }
    terminate() {}
  }
  vi.stubGlobal('Worker', FakeWorker)
  vi.stubGlobal('fetch', async (url: string) => {
    if (url.startsWith('/api/log/checkpoint')) return new Response(getNote(site.size))
    if (url.startsWith('/api/log/head')) return Response.json({ size: site.size, anchored: null })
    if (url.startsWith('/api/log/keys')) return Response.json({ entries: [] })
    return Response.json({})
  })
  const client = createQueryClient()
  render(
    <QueryClientProvider client={client}>
      <SelfCheckOfSite />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  const check = async () => {
    const logCountBefore = logs.length
    await user.click(screen.getByRole('button', { name: 'Check in this browser' }))
    await expect.poll(() => logs.length).toBe(logCountBefore + 1)
    await expect.poll(() => act(async () => client.isMutating())).toBe(0)
    return logs[logCountBefore]
  }
  return { site, check }
}

test('SelfCheck: compares the log with the newest checkpoint that any tab has stored', async () => {
  const { site, check } = openPanel()
  expect((await check())?.seenNote).toBeNull()
  expect(readStoredSize()).toBe(7)
  storeSeenInOtherTab(9)
  site.size = 12
  expect((await check())?.seenNote).toBe(getNote(9))
  expect(readStoredSize()).toBe(12)
})

test('SelfCheck: keeps a larger checkpoint that another tab stores during the check, and reports no rewrite', async () => {
  const { site, check } = openPanel()
  site.duringCheck = () => storeSeenInOtherTab(9)
  await check()
  expect(readStoredSize()).toBe(9)
  expect(screen.queryByRole('alert')).toBeNull()
})
