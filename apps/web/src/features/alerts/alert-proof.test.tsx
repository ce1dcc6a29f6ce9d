// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type Alert, defaultPreferences } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { createFingerprint } from '../proof/proof-findings.ts'
import { retryMs } from '../proof/retry-ms.ts'
import { AlertProof, ProofTag } from './alert-proof.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  localStorage.clear()
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
])('for the verdict “%s”, ProofTag shows “%s” and AlertProof shows “%s”', (verdict, tag, sentence) => {
  const client = createQueryClient()
  if (verdict)
    client.setQueryData(['opened-proof', createFingerprint(alert)], { verdict, host: 'node.example', failure: null })
  const renderWords = (Part: typeof AlertProof) => {
    const part = (
      <QueryClientProvider client={client}>
        <Part alert={alert} />
      </QueryClientProvider>
    )
    return renderToStaticMarkup(part).replace(/<[^>]*>/g, '')
  }
  expect(renderWords(ProofTag)).toContain(tag)
  expect(renderWords(AlertProof)).toContain(sentence)
})

test.each([
  ['verified', true],
  ['failed', false],
  [null, false],
])('AlertProof: draws the Merkle path dashed unless the verdict is “verified”: “%s”', (verdict, isPathLit) => {
  const client = createQueryClient()
  if (verdict)
    client.setQueryData(['opened-proof', createFingerprint(alert)], { verdict, host: 'node.example', failure: null })
  const part = (
    <QueryClientProvider client={client}>
      <AlertProof alert={alert} />
    </QueryClientProvider>
  )
  expect(renderToStaticMarkup(part).includes('stroke-dasharray="2 3"'), 'dashed').toBe(!isPathLit)
})

/** Number of checks that were sent to the worker. */
let checks = 0

/** Functions that send the delayed responses to checks against a node that is down. */
const withheldAnswers: (() => void)[] = []

/**
 * Reports every proof as verified, or as unavailable if no node is given or the node is down. The
 * test determines when the worker responds to a check against a node that is down.
 */
class FakeWorker extends EventTarget {
  postMessage({ id, task: { rpcUrl } }: { id: number; task: { rpcUrl: string } }) {
    checks += 1
    const isNodeDown = rpcUrl.includes('down.example')
    const result = {
      nodeUsage: { rpcUrl },
      verification: { verdict: rpcUrl === '' || isNodeDown ? 'unavailable' : 'verified', checks: [] },
    }
    const answer = () => void this.dispatchEvent(new MessageEvent('message', { data: { id, kind: 'done', result } }))
    if (isNodeDown) withheldAnswers.push(answer)
    else answer()
  }
}

/** Returns a client whose cache contains exactly the data that a check reads. */
function createClient(rpcUrl: string | null) {
  const client = createQueryClient()
  const address = `0x${'11'.repeat(20)}`
  client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, autoVerify: true })
  client.setQueryData<object>(queries.config.queryKey, {
    anchor: { chainId: 1, contract: address, rpcUrl },
    firstSigner: address,
  })
  client.setQueryData<object>(queries.logKeys.queryKey, { entries: [] })
  return client
}

test.each([
  ['no node is known', null],
  ['the entered node cannot be used', 'http://node.example'],
])(
  'ProofTag and AlertProof: check the alert once, without retries, and show that the chain was not queried, when %s',
  async (_, enteredRpcUrl) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    vi.stubGlobal('Worker', FakeWorker)
    if (enteredRpcUrl !== null)
      localStorage.setItem('proof.trust', JSON.stringify({ pin: null, rpcUrl: enteredRpcUrl }))
    checks = 0
    render(
      <QueryClientProvider client={createClient(null)}>
        <ProofTag alert={alert} />
        <AlertProof alert={alert} />
      </QueryClientProvider>,
    )
    // The check starts within a second after the alert is opened.
    await act(() => vi.advanceTimersByTimeAsync(1_000))
    for (const ms of [1_000, 60_000]) {
      await act(() => vi.advanceTimersByTimeAsync(ms))
      expect(checks).toBe(1)
      expect(screen.getByText(', not checked against the chain').parentElement?.textContent).toMatch(/^Signed, not/)
      expect(screen.getByText('Anchored 3 h')).toBeDefined()
      expect(screen.queryByText(/Cannot check now|Check again/)).toBeNull()
    }
  },
)

test('ProofTag and AlertProof: show “Checking…” for a requested check, but not for retries, while the node is down', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  vi.stubGlobal('Worker', FakeWorker)
  render(
    <QueryClientProvider client={createClient('https://down.example')}>
      <ProofTag alert={alert} />
      <AlertProof alert={alert} />
    </QueryClientProvider>,
  )
  const isShownTwice = (text: string) => screen.queryAllByText(text).length === 2
  const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  const answer = () => {
    withheldAnswers.shift()?.()
    return advance(1)
  }
  await advance(1_000)
  expect(isShownTwice('Checking…')).toBe(true)
  await answer()
  expect(isShownTwice('Cannot check now')).toBe(true)
  await advance(retryMs)
  expect(withheldAnswers).toHaveLength(1)
  expect(isShownTwice('Cannot check now')).toBe(true)
  await answer()
  fireEvent.click(screen.getByText('Check again'))
  await advance(1)
  expect(isShownTwice('Checking…')).toBe(true)
  await answer()
  expect(isShownTwice('Cannot check now')).toBe(true)
})

test('AlertProof: reports a verified alert to the server once, and only after the user has opened the alert', async () => {
  const reports: unknown[] = []
  vi.stubGlobal('Worker', FakeWorker)
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url === '/api/alerts/read') reports.push(JSON.parse(String(init.body)))
    return Response.json({ success: true, message: '' })
  })
  const client = createClient('https://node.example')
  const renderProof = (isUnopened: boolean) => (
    <QueryClientProvider client={client}>
      <AlertProof alert={alert} isUnopened={isUnopened} />
    </QueryClientProvider>
  )
  const { rerender } = render(renderProof(true))
  await expect.poll(() => screen.queryByText('Verified')).not.toBeNull()
  expect(reports).toEqual([])
  rerender(renderProof(false))
  await expect.poll(() => reports).toEqual([{ ids: ['1'], verified: true }])
  rerender(renderProof(true))
  rerender(renderProof(false))
  await expect.poll(() => client.isFetching()).toBe(0)
  expect(reports).toHaveLength(1)
})
