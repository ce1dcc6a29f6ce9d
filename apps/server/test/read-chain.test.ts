import { itoTokenAbi } from '@tocsin/contracts/abi'
import { type ChainRead, chainRead } from '@tocsin/protocol'
import { type TestClient, waitForReceipt } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { createPublicClient, custom, encodeFunctionData, parseEther, RpcRequestError } from 'viem'
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
const otherAddress = `0x${'5'.repeat(40)}` as const

beforeAll(async () => {
  server = await startTestServer({ database, chain })
  client = await server.signInAdmin()
})
afterAll(() => server?.close())

const encodeRead = (functionName: 'balanceOf' | 'totalSupply') =>
  functionName === 'balanceOf'
    ? encodeFunctionData({ abi: itoTokenAbi, functionName, args: [otherAddress] })
    : encodeFunctionData({ abi: itoTokenAbi, functionName })
const encodePayment = (functionName: 'transfer' | 'transferFrom') =>
  functionName === 'transfer'
    ? encodeFunctionData({ abi: itoTokenAbi, functionName, args: [otherAddress, 1n] })
    : encodeFunctionData({ abi: itoTokenAbi, functionName, args: [otherAddress, otherAddress, 1n] })

describe('chain proxy rejects', () => {
  test.each<[string, string, unknown[]]>([
    ['sending', 'eth_sendRawTransaction', ['0x00']],
    ['sending by the node’s accounts', 'eth_sendTransaction', [{ from: otherAddress, to: otherAddress }]],
    ['logs', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
    ['a block with its full transactions', 'eth_getBlockByNumber', ['latest', true]],
    ['historical state by block tag', 'eth_getBalance', [otherAddress, 'earliest']],
    ['another call of the token', 'eth_call', [{ to: otherAddress, data: encodeRead('totalSupply') }, 'latest']],
    ['state overrides', 'eth_call', [{ to: otherAddress, data: encodeRead('balanceOf') }, 'latest', {}]],
    [
      'an estimate of another function',
      'eth_estimateGas',
      [{ from: otherAddress, to: otherAddress, data: encodePayment('transferFrom') }],
    ],
    ['methods of anvil', 'anvil_mine', ['0x1']],
  ])('%s', async (_name, method, params) => {
    expect(chainRead.safeParse({ chainId: 31337, method, params }).success).toBe(false)
    // The types forbid these values, but programs can send them.
    const body = { chainId: 31337, method, params } as unknown as ChainRead
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 400 })
  })

  test.each<[string, ChainRead]>([
    ['code of another contract', parseChainRead({ method: 'eth_getCode', params: [otherAddress, 'latest'] })],
    [
      'a call',
      parseChainRead({ method: 'eth_call', params: [{ to: otherAddress, data: encodeRead('balanceOf') }, 'latest'] }),
    ],
    [
      'an estimate',
      parseChainRead({
        method: 'eth_estimateGas',
        params: [{ from: otherAddress, to: otherAddress, data: encodePayment('transfer') }],
      }),
    ],
  ])('a request to a contract other than the token: %s', async (_name, body) => {
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 400, code: 'malformed' })
  })

  test('an estimate of a transfer that would fail, which is not an outage of the node', async () => {
    const call = { from: otherAddress, to: chain.token, data: encodePayment('transfer') }
    const body = parseChainRead({ method: 'eth_estimateGas', params: [call] })
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 422, code: 'payment_reverted' })
  })

  test.each([
    [-32005, 'limit exceeded', 503, 'unavailable'],
    [-32603, 'execution reverted', 503, 'unavailable'],
    [-32000, 'header not found', 503, 'unavailable'],
    [-32000, 'insufficient funds for gas * price + value', 422, 'payment_reverted'],
    [3, 'execution reverted', 422, 'payment_reverted'],
  ])('an estimate when the node answers with the error %d, %s', async (code, message, status, expectedCode) => {
    const error = new RpcRequestError({ body: {}, url: 'http://node', error: { code, message } })
    const requests = vi.spyOn(server.ctx.paymentChain, 'request').mockRejectedValue(error)
    onTestFinished(() => requests.mockRestore())
    const call = { from: otherAddress, to: chain.token, data: encodePayment('transfer') }
    const body = parseChainRead({ method: 'eth_estimateGas', params: [call] })
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status, code: expectedCode })
  })

  test('a chain without a node', async () => {
    const body: ChainRead = { chainId: 137, method: 'eth_blockNumber', params: [] }
    await expect(client.call('readChain', { body })).rejects.toMatchObject({ status: 422, code: 'chain_unsupported' })
  })
})

function parseChainRead(call: Pick<ChainRead, 'method' | 'params'>): ChainRead {
  return chainRead.parse({ chainId: 31337, ...call })
}

test('chain proxy: supports all reads of a purchase through viem', async () => {
  const request = async ({ method, params = [] }: { method: string; params?: unknown }) =>
    (await client.call('readChain', { body: chainRead.parse({ chainId: 31337, method, params }) })).result
  const pageClient = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), pollingInterval: 20 })
  const token = { address: chain.token, abi: itoTokenAbi } as const
  const account = chain.wallet(1).account.address
  const [before, allowance, coins, code, fees, gas] = await Promise.all([
    pageClient.readContract({ ...token, functionName: 'balanceOf', args: [account] }),
    pageClient.readContract({ ...token, functionName: 'allowance', args: [account, chain.treasury] }),
    pageClient.getBalance({ address: account }),
    pageClient.getCode({ address: chain.token }),
    pageClient.estimateFeesPerGas(),
    pageClient.estimateGas({ account, to: chain.token, data: encodePayment('transfer') }),
  ])
  expect([before, allowance]).toEqual([parseEther('1000'), 0n])
  expect(coins).toBeGreaterThan(0n)
  expect(code).toMatch(/^0x6/)
  expect(fees.maxFeePerGas).toBeGreaterThan(0n)
  expect(gas).toBeGreaterThan(21_000n)

  const { transactionHash } = await chain.pay({ from: 1, amountWei: 5n })
  const { status } = await waitForReceipt(pageClient, transactionHash)
  expect(status).toBe('success')
  const readBalance = () => pageClient.readContract({ ...token, functionName: 'balanceOf', args: [account] })
  // The result of a read may be a second old.
  await eventually(async () => expect(await readBalance()).toBe(before - 5n))
})

test('chain proxy: rate-limits an account with Retry-After, and coalesces equal concurrent reads', async () => {
  const { paymentChain } = server.ctx
  const requests = vi.spyOn(paymentChain, 'request')
  onTestFinished(() => requests.mockRestore())
  // Stop the clock of the limit, so that neither the lifetime of a shared result nor the minute of
  // the limit ends during the requests.
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => now.mockRestore())
  const getBody = (addressNumber: number) =>
    parseChainRead({
      method: 'eth_getBalance',
      params: [`0x${addressNumber.toString(16).padStart(40, '0')}`, 'latest'],
    })
  const postRead = (addressNumber: number, cookie: string) =>
    fetch(`${server.url}/api/chain/read`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, cookie },
      body: JSON.stringify(getBody(addressNumber)),
    })
  const equalResponses = await Promise.all(Array.from({ length: 20 }, () => postRead(1, client.cookie())))
  expect(equalResponses.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(requests.mock.calls.filter((call) => JSON.stringify(call).includes('eth_getBalance'))).toHaveLength(1)
  const differentResponses = await Promise.all(
    Array.from({ length: CALLS_PER_MINUTE }, (_, index) => postRead(index + 2, client.cookie())),
  )
  const refused = differentResponses.filter(({ status }) => status === 429)
  expect(await refused[0]?.json()).toMatchObject({
    code: 'too_many_requests',
    message: expect.stringMatching(/^Your account reads the chain too often/),
  })
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
})
