// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { type Alert, defaultPreferences } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { createFingerprint } from '../proof/proof-findings.ts'
import { AlertProof, ProofTag } from './alert-proof.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const alert = {
  ...{ id: '1', logIndex: 41, treeSize: 42, leafHash: `0x${'16'.repeat(32)}`, root: `0x${'17'.repeat(32)}` },
  ...{ merklePath: [], avalancheTx: `0x${'18'.repeat(32)}` },
  ...{ createdAt: '2026-03-02T14:30:00.688Z', anchoredAt: '2026-03-02T17:30:01.000Z' },
} as unknown as Alert

test.each([
  ['verified', 'Verified', 'Verified in this browser, 6 of 6 checks, node.example'],
  ['time-not-proven', 'Time of issue not proven', 'Time of issue not proven in this browser, node.example'],
  [null, 'Anchored 3 h', 'Not checked here'],
])('ProofTag and AlertProof: with the verdict “%s”, they show “%s” and “%s”', (verdict, tag, sentence) => {
  const client = createQueryClient()
  if (verdict)
    client.setQueryData(['opened-proof', createFingerprint(alert)], { verdict, host: 'node.example', failure: null })
  const words = (Part: typeof AlertProof) => {
    const part = (
      <QueryClientProvider client={client}>
        <Part alert={alert} />
      </QueryClientProvider>
    )
    return renderToStaticMarkup(part).replace(/<[^>]*>/g, '')
  }
  expect(words(ProofTag)).toContain(tag)
  expect(words(AlertProof)).toContain(sentence)
})

/** Finds every proof valid. */
class FakeWorker extends EventTarget {
  postMessage({ id }: { id: number }) {
    const result = { asked: { rpcUrl: 'https://node.example' }, verification: { verdict: 'verified', checks: [] } }
    this.dispatchEvent(new MessageEvent('message', { data: { id, kind: 'done', result } }))
  }
}

test('AlertProof: reports a verified alert once, and only when the reader has opened it', async () => {
  const reports: unknown[] = []
  vi.stubGlobal('Worker', FakeWorker)
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url === '/api/alerts/read') reports.push(JSON.parse(String(init.body)))
    return Response.json({ success: true, message: '' })
  })
  const client = createQueryClient()
  const address = `0x${'11'.repeat(20)}`
  const config = { anchor: { chainId: 1, contract: address, rpcUrl: 'https://node.example' }, firstSigner: address }
  client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, autoVerify: true })
  // The check reads only the log from the configuration.
  client.setQueryData<object>(queries.config.queryKey, config)
  client.setQueryData<object>(queries.logKeys.queryKey, { entries: [] })
  const proof = (isUnopened: boolean) => (
    <QueryClientProvider client={client}>
      <AlertProof alert={alert} isUnopened={isUnopened} />
    </QueryClientProvider>
  )
  const { rerender } = render(proof(true))
  await expect.poll(() => screen.queryByText('Verified')).not.toBeNull()
  expect(reports).toEqual([])
  rerender(proof(false))
  await expect.poll(() => reports).toEqual([{ ids: ['1'], verified: true }])
  rerender(proof(true))
  rerender(proof(false))
  await expect.poll(() => client.isFetching()).toBe(0)
  expect(reports).toHaveLength(1)
})
