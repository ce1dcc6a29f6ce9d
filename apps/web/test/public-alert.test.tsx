// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import type { AlertAt } from '@tocsin/protocol'
import { expect, it, vi } from 'vitest'
import vectors from '../../../packages/proof/src/vectors/bundles.json'
import { expectText, openPage, signedOut } from './open-page.tsx'
import { stepIds } from './support/test-response.ts'

/** The page of an alert on a site that names no node of the anchor chain. */
// Cast: TypeScript types the strings in the JSON file as `string`, not as literal types.
const page = {
  access: 'public',
  publicAt: '2025-01-17T09:30:08.000Z',
  bundle: vectors.bundle,
  message: null,
  outcomeMessage: null,
} as AlertAt
const path = `/a/${vectors.bundle.alert.logIndex}`

/**
 * The node that each check of the page was given, in order. An empty string stands for a check
 * without a node.
 */
const nodes: string[] = []

/**
 * A fake of the proof worker. With a node, all steps pass. Without a node, only the steps for
 * content and Merkle path pass.
 */
class FakeWorker extends EventTarget {
  postMessage({ id, task: { rpcUrl } }: { id: number; task: { rpcUrl: string } }) {
    nodes.push(rpcUrl)
    const offline: readonly string[] = ['payload', 'merklePath']
    const checks = stepIds.map((step) => {
      const isPassed = rpcUrl !== '' || offline.includes(step)
      return isPassed
        ? { id: step, status: 'passed', reason: '' }
        : { id: step, status: 'unavailable', reason: 'The anchor chain could not be reached' }
    })
    const result = {
      verification: {
        verdict: rpcUrl === '' ? 'unavailable' : 'verified',
        failed: null,
        step: null,
        checks,
        blockAt: null,
        rungs: [],
        outcomes: [],
      },
      anchor: null,
      nodeUsage: { rpcUrl, requestCount: rpcUrl === '' ? 0 : 5, problem: null, tookMs: 12 },
    }
    this.dispatchEvent(new MessageEvent('message', { data: { id, kind: 'done', result } }))
  }
  terminate() {}
}

it('the alert page checks the proof without a chain node, and again when the visitor enters a node', async () => {
  vi.stubGlobal('Worker', FakeWorker)
  const { user } = await openPage(path, { ...signedOut, [`GET /api/alerts/at/${vectors.bundle.alert.logIndex}`]: page })
  await expectText('All checks that do not need the chain succeeded.')
  await expectText('2 of 6')
  await expectText('This needs a node of the anchor chain')
  expect(screen.queryByText('Cannot check now')).toBeNull()
  expect(nodes).toEqual([''])
  await user.click(screen.getByLabelText('Node for chain reads (JSON-RPC URL)'))
  await user.paste('https://node.example/')
  await expectText('in your browser against node.example, 6 of 6 checks')
  expect(nodes).toEqual(['', 'https://node.example/'])
})
