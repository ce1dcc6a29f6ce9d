import { parseBundle, verifyBundle } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import { expect, it, vi } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import { AlertChecker, type CheckerDependencies } from './alert-checker.ts'

const genuineBundle = parseBundle(vectors.bundle)
const trust = {
  firstSigner: genuineBundle.firstSigner,
  domain: { chainId: genuineBundle.anchor.chainId, verifyingContract: genuineBundle.anchor.contract },
}
const rejectChainCall = () => Promise.reject(new Error('No chain in this test'))
// The cast is safe, because the recorded alert has all fields of the protocol type.
const alert = genuineBundle.alert as unknown as Alert
const unanchoredAlert: Alert = {
  ...alert,
  merklePath: [],
  treeSize: null,
  root: null,
  avalancheTx: null,
  anchoredAt: null,
}

function createChecker(changes: Partial<CheckerDependencies> = {}) {
  const failures: string[] = []
  const parts = {
    bundle: vi.fn<CheckerDependencies['bundle']>(async (each) => ({ ...genuineBundle, alert: { ...each } })),
    verify: vi.fn<CheckerDependencies['verify']>((bundle) => verifyBundle(bundle, { trust, rpc: rejectChainCall })),
    onFailed: (_alert: Alert, reason: string) => failures.push(reason),
    timeoutMs: 60_000,
    ...changes,
  }
  return { checker: new AlertChecker(parts), failures, ...parts }
}

it.each<[string, Alert]>([
  ['another summary', { ...alert, summary: 'Sell everything.' }],
  ['another priority', { ...unanchoredAlert, priority: alert.priority === 'critical' ? 'low' : 'critical' }],
  ['another leaf hash', { ...unanchoredAlert, leafHash: `0x${'00'.repeat(32)}` }],
  ['an invalid signature', { ...unanchoredAlert, signature: `0x${'11'.repeat(64)}1b` }],
  ['another signer', { ...unanchoredAlert, signer: `0x${'11'.repeat(20)}` }],
  ['a broken path', { ...alert, merklePath: [] }],
  ['another root', { ...alert, root: `0x${'77'.repeat(32)}` }],
])('AlertChecker: rejects an alert with %s and reports the failure once', async (_name, forgedAlert) => {
  const { checker, failures } = createChecker()
  expect(await checker.check(forgedAlert)).toBe('failed')
  expect(await checker.check({ ...forgedAlert })).toBe('failed')
  expect(failures).toHaveLength(1)
})

it('AlertChecker: does not report a failure again when more alerts were checked than it caches', async () => {
  const forgedAlert = { ...alert, summary: 'Sell everything.' }
  const { checker, failures } = createChecker({
    verify: (bundle) =>
      bundle.alert.summary === forgedAlert.summary
        ? verifyBundle(bundle, { trust, rpc: rejectChainCall })
        : Promise.reject(new Error('Not checked in this test')),
  })
  await checker.check(forgedAlert)
  const otherAlerts = Array.from({ length: 2_000 }, (_, index) => ({ ...alert, summary: `Alert ${index}` }))
  await Promise.all(otherAlerts.map((each) => checker.check(each)))
  expect(await checker.check(forgedAlert)).toBe('failed')
  expect(failures).toHaveLength(1)
})

it.each<[string, Alert]>([
  ['when it is anchored', alert],
  ['when it is not anchored yet', unanchoredAlert],
  ['when it was corrected later', { ...alert, supersededBy: { logIndex: 99, id: 'later', kind: 'correction' } }],
])('AlertChecker: accepts a genuine alert %s', async (_name, each) => {
  const { checker, failures } = createChecker()
  expect([await checker.check(each), failures]).toEqual(['good', []])
})

it('AlertChecker: refetches the key lists and checks again before it rejects an alert', async () => {
  const { checker, bundle } = createChecker({
    bundle: vi.fn<CheckerDependencies['bundle']>(async (each, isFresh) => ({
      ...genuineBundle,
      keys: isFresh ? genuineBundle.keys : [],
      alert: { ...each },
    })),
  })
  expect(await checker.check(alert)).toBe('good')
  expect(bundle).toHaveBeenCalledTimes(2)
})

it('AlertChecker: reports "unchecked" when the check throws or times out, and checks the alert again on the next call', async () => {
  const verify = vi.fn<CheckerDependencies['verify']>()
  verify.mockRejectedValueOnce(new Error('gone')).mockReturnValue(new Promise(() => {}))
  const { checker, failures } = createChecker({ verify, timeoutMs: 10 })
  expect(await checker.check(alert)).toBe('unchecked')
  expect(await checker.check(alert)).toBe('unchecked')
  expect([verify.mock.calls.length, failures]).toEqual([2, []])
})

it('AlertChecker: checks the alerts of a list sequentially, and stops when the signal is aborted', async () => {
  const controller = new AbortController()
  const events: string[] = []
  const { checker } = createChecker({
    verify: async (bundle) => {
      events.push('started')
      if (events.length === 3) controller.abort()
      const verification = await verifyBundle(bundle, { trust, rpc: rejectChainCall })
      events.push('ended')
      return verification
    },
  })
  await checker.checkAll([alert, unanchoredAlert, { ...alert, summary: 'Not reached.' }], controller.signal)
  expect(events).toEqual(['started', 'ended', 'started', 'ended'])
})
