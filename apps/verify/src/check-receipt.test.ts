import type { SubscriptionReceipt } from '@tocsin/protocol'
import { eventually } from '@tocsin/testkit/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runVerify, runVerifyJson, startSite } from '../test/support/command-test-bed.ts'
import { type LogTestBed, startLogTestBed } from '../test/support/log-test-bed.ts'

let testBed: LogTestBed
let receipt: SubscriptionReceipt
let nodes: string[]

/** Fetches everything from the server, because the server is stopped before the first test. */
beforeAll(async () => {
  testBed = await startLogTestBed()
  const { admin: buyer, chain } = testBed
  await buyer.proveWallet(chain.wallet(1))
  const { transactionHash } = await chain.pay({ from: 1, amountWei: 10n ** 19n })
  const { id } = await buyer.call('subscribe', { body: { planType: '6h', transactionHash } })
  await eventually(async () => {
    receipt = await buyer.call('findReceipt', { params: { id } })
    expect(receipt.keys[0]?.avalancheTx).not.toBeNull()
  })
  const { firstSigner, anchor } = receipt
  const pins = ['--first-signer', firstSigner, '--contract', anchor.contract, '--chain-id', String(anchor.chainId)]
  nodes = ['--rpc', chain.url, '--payment-rpc', chain.url, ...pins]
  await testBed.server.close()
})
afterAll(async () => {
  await testBed?.close()
})

const encodeReceipt = (change: Partial<SubscriptionReceipt>) => JSON.stringify({ ...receipt, ...change })

test('without --payment-rpc a receipt is not verified and its node is not contacted', async () => {
  const site = await startSite(() => {})
  const at = nodes.indexOf('--payment-rpc')
  const argsWithoutNode = nodes.filter((_, i) => i !== at && i !== at + 1)
  const { code, out } = await runVerify(['-', ...argsWithoutNode], encodeReceipt({ paymentRpcUrl: site.url }))
  await site.close()
  expect(code, out).toBe(5)
  expect(out).toMatch(/^NOT VERIFIED {2}The checks that need no node succeeded, but no node was given/m)
  expect(site.requests).toEqual([])
})

test('without trusted values a receipt is not verified', async () => {
  const { chain } = testBed
  const { code } = await runVerify(['-', '--rpc', chain.url, '--payment-rpc', chain.url], JSON.stringify(receipt))
  expect(code).toBe(5)
})

test.each<[string, () => string, string[], number, RegExp]>([
  ['another version', () => JSON.stringify({ ...receipt, version: 2 }), [], 1, /version is not 1/],
  [
    'changed content',
    () => encodeReceipt({ bytes: receipt.bytes.replace('"6h"', '"3d"') }),
    [],
    1,
    /Step 2 \(Signature\)/,
  ],
  ['invalid content', () => encodeReceipt({ bytes: '{}' }), [], 1, /Step 1 \(Content\)/],
  [
    'a first key other than the trusted one',
    () => JSON.stringify(receipt),
    ['--first-signer', `0x${'11'.repeat(20)}`],
    1,
    /trusted one/,
  ],
  [
    'an unreachable node',
    () => JSON.stringify(receipt),
    ['--payment-rpc', 'http://127.0.0.1:9'],
    4,
    /The payment chain \d+ could not be reached/,
  ],
])('reports the problem of a receipt with %s', async (_, input, extraArgs, code, expectedText) => {
  const result = await runVerify(['-', ...nodes, ...extraArgs], input())
  expect(result.code, result.out).toBe(code)
  expect(result.out).toMatch(expectedText)
})

test('a receipt is verified without the server, and the output lists the trusted values', async () => {
  const { code, out } = await runVerify(['-', ...nodes], JSON.stringify(receipt))
  expect(code, out).toBe(0)
  expect(out.match(/^ {2}\d {2}.*✓ passed/gm)).toHaveLength(3)
  expect(out).toMatch(/^VERIFIED {2}10000000000000000000 base units of 0x\w{40} paid for the time from .*Z to .*Z; /m)
  expect(out).toMatch(/Payment node +http:\/\/127\.0\.0\.1:\d+ +given by you/)
})

test('--json prints one object', async () => {
  const { outcome } = await runVerifyJson(['-', ...nodes], JSON.stringify(receipt))
  expect(outcome).toMatchObject({ verdict: 'verified', exitCode: 0, steps: [{}, {}, { id: 'payment' }] })
})
