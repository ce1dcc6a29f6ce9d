import { itoTokenAbi } from '@tocsin/contracts/abi'
import { type ChainRead, chainRead } from '@tocsin/protocol'
import { type TestClient, waitForReceipt } from '@tocsin/testkit'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { createPublicClient, custom, encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { CALLS_PER_MINUTE } from '../src/features/payments/chain-reads.ts'

/**
 * Tests the chain proxy for pages whose wallet can only sign. It allows only the reads of a
 * purchase, so that the operator's node cannot be used for other purposes.
 */

const database = useTestDatabase()
const chain = useTestChain()
let server: TestServer
let client: TestClient
const other = `0x${'5'.repeat(40)}` as const

beforeAll(async () => {
  server = await startTestServer({ database, chain })
  client = await server.signInAdmin()
})
afterAll(() => server?.close())

const question = (functionName: 'balanceOf' | 'totalSupply') =>
  functionName === 'balanceOf'
    ? encodeFunctionData({ abi: itoTokenAbi, functionName, args: [other] })
    : encodeFunctionData({ abi: itoTokenAbi, functionName })
const payment = (functionName: 'transfer' | 'transferFrom') =>
  functionName === 'transfer'
    ? encodeFunctionData({ abi: itoTokenAbi, functionName, args: [other, 1n] })
    : encodeFunctionData({ abi: itoTokenAbi, functionName, args: [other, other, 1n] })

describe('chain proxy rejects', () => {
  test.each<[string, string, unknown[]]>([
    ['sending', 'eth_sendRawTransaction', ['0x00']],
    ['sending by the node’s accounts', 'eth_sendTransaction', [{ from: other, to: other }]],
    ['logs', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
    ['a block with its full transactions', 'eth_getBlockByNumber', ['latest', true]],
    ['historical state by block tag', 'eth_getBalance', [other, 'earliest']],
    ['another call of the token', 'eth_call', [{ to: other, data: question('totalSupply') }, 'latest']],
    ['state overrides', 'eth_call', [{ to: other, data: question('balanceOf') }, 'latest', {}]],
    ['an estimate of another function', 'eth_estimateGas', [{ from: other, to: other, data: payment('transferFrom') }]],
    ['methods of anvil', 'anvil_mine', ['0x1']],
  ])('%s', async (_name, method, params) => {
    expect(chainRead.safeParse({ chainId: 31337, method, params }).success).toBe(false)
    // The types forbid these values, but programs can send them.
    const body = { chainId: 31337, method, params } as unknown as ChainRead
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 400 })
  })

  test.each<[string, ChainRead]>([
    ['code of another contract', read({ method: 'eth_getCode', params: [other, 'latest'] })],
    ['a call', read({ method: 'eth_call', params: [{ to: other, data: question('balanceOf') }, 'latest'] })],
    [
      'an estimate',
      read({ method: 'eth_estimateGas', params: [{ from: other, to: other, data: payment('transfer') }] }),
    ],
  ])('another contract than the token: %s', async (_name, body) => {
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 400, code: 'malformed' })
  })

  test('a chain without a node', async () => {
    const body: ChainRead = { chainId: 137, method: 'eth_blockNumber', params: [] }
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 422, code: 'chain_unsupported' })
  })
})

function read(call: Pick<ChainRead, 'method' | 'params'>): ChainRead {
  return chainRead.parse({ chainId: 31337, ...call })
}

test('chain proxy: supports all reads of a purchase through viem', async () => {
  const request = async ({ method, params = [] }: { method: string; params?: unknown }) =>
    (await client.call('readChain', { body: chainRead.parse({ chainId: 31337, method, params }) })).result
  const page = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), pollingInterval: 20 })
  const token = { address: chain.token, abi: itoTokenAbi } as const
  const account = chain.wallet(1).account.address
  const [before, allowance, coins, code, fees, gas] = await Promise.all([
    page.readContract({ ...token, functionName: 'balanceOf', args: [account] }),
    page.readContract({ ...token, functionName: 'allowance', args: [account, chain.treasury] }),
    page.getBalance({ address: account }),
    page.getCode({ address: chain.token }),
    page.estimateFeesPerGas(),
    page.estimateGas({ account, to: chain.token, data: payment('transfer') }),
  ])
  expect([before, allowance]).toEqual([parseEther('1000'), 0n])
  expect(coins).toBeGreaterThan(0n)
  expect(code).toMatch(/^0x6/)
  expect(fees.maxFeePerGas).toBeGreaterThan(0n)
  expect(gas).toBeGreaterThan(21_000n)

  const { transactionHash } = await chain.pay({ from: 1, amountWei: 5n })
  const { status } = await waitForReceipt(page, transactionHash)
  expect(status).toBe('success')
  const readBalance = () => page.readContract({ ...token, functionName: 'balanceOf', args: [account] })
  // The result of a read may be a second old.
  await expect.poll(readBalance, { timeout: 10_000 }).toBe(before - 5n)
})

test('chain proxy: refuses an account that reads without end, with the time to wait, and shares equal reads', async () => {
  const { paymentChain } = server.ctx
  const requests = vi.spyOn(paymentChain, 'request')
  onTestFinished(() => requests.mockRestore())
  const getBody = (at: number) =>
    read({ method: 'eth_getBalance', params: [`0x${at.toString(16).padStart(40, '0')}`, 'latest'] })
  const post = (at: number, cookie: string) =>
    fetch(`${server.url}/api/chain/read`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, cookie },
      body: JSON.stringify(getBody(at)),
    })
  const equal = await Promise.all(Array.from({ length: 20 }, () => post(1, client.cookie())))
  expect(equal.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(requests.mock.calls.filter((call) => JSON.stringify(call).includes('eth_getBalance'))).toHaveLength(1)
  const different = await Promise.all(
    Array.from({ length: CALLS_PER_MINUTE }, (_, index) => post(index + 2, client.cookie())),
  )
  const refused = different.filter(({ status }) => status === 429)
  expect(await refused[0]?.json()).toMatchObject({
    code: 'too_many_requests',
    message: expect.stringMatching(/^Your account reads the chain too often/),
  })
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
})
