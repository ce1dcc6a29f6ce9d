import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitForReceipt } from '@tocsin/testkit'
import { createTestClient, http, publicActions, walletActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LocalChain, startLocalChain, testMnemonic } from './local-chain.ts'

const DAY_SECONDS = 86_400
const account = mnemonicToAccount(testMnemonic)
const recipient = '0x00000000000000000000000000000000000000aa'
let dir: string
let runningChain: LocalChain | undefined

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-chain-'))
})
afterEach(async () => {
  await runningChain?.stop()
  runningChain = undefined
  rmSync(dir, { recursive: true, force: true })
})

async function startChain(options: { genesisAt?: Date } = {}): Promise<LocalChain> {
  runningChain = await startLocalChain({ dir, port: 0, ...options })
  return runningChain
}

function createClient(url: string) {
  const transport = http(url, { retryCount: 0, timeout: 60_000 })
  return createTestClient({ mode: 'anvil', chain: foundry, transport, account, pollingInterval: 20, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
}

function killNode(): void {
  process.kill(Number.parseInt(readFileSync(join(dir, 'anvil.pid'), 'utf8'), 10), 'SIGKILL')
}

function readSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

async function postRpc(url: string, method: string, headers: Record<string, string>): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: [] })
  return (await fetch(url, { method: 'POST', headers, body })).json()
}

test('startLocalChain: the error names the port and its setting when the port is in use', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await expect(startLocalChain({ dir, port })).rejects.toThrow(
    `Port ${port}, wanted for the local chain, is in use by another program. Free it, or set LOCAL_CHAIN_PORT to another port.`,
  )
  await new Promise((resolve) => server.close(resolve))
})

test('startLocalChain: a web page can read the chain but not control it, a program can do both', async () => {
  const { url } = await startChain()
  // The origin of a page in a sandboxed frame is `null`.
  for (const origin of ['http://evil.example', 'null']) {
    for (const method of ['evm_mine', 'eth_sendUnsignedTransaction', 'eth_sendTransaction']) {
      expect(await postRpc(url, method, { origin })).toMatchObject({ id: 7, error: { code: -32601 } })
    }
    expect(await postRpc(url, 'eth_chainId', { origin })).toMatchObject({ id: 7, result: '0x7a69' })
  }
  expect(await postRpc(url, 'evm_mine', {})).toMatchObject({ id: 7, result: '0x0' })
  expect(await (await fetch(url, { method: 'POST', body: '{' })).json()).toMatchObject({ error: { code: -32700 } })
})

test('startLocalChain: a transaction, its block and its receipt survive when the node is killed after returning the hash', async () => {
  const client = createClient((await startChain()).url)
  const hash = await client.sendTransaction({ to: recipient, value: 1n })
  killNode()
  await expect
    .poll(() => client.getTransactionReceipt({ hash }).catch(() => 'down'))
    .toMatchObject({
      status: 'success',
      transactionHash: hash,
    })
  const receipt = await client.getTransactionReceipt({ hash })
  const block = await client.getBlock({ blockHash: receipt.blockHash })
  expect(block.transactions).toEqual([hash])

  await runningChain?.stop()
  const clientAfterRestart = createClient((await startChain()).url)
  expect(await clientAfterRestart.getBlock({ blockNumber: receipt.blockNumber })).toEqual(block)
  expect(await clientAfterRestart.getTransactionReceipt({ hash })).toEqual(receipt)
  expect(await clientAfterRestart.getBalance({ address: recipient })).toBe(1n)
})

test('startLocalChain: all acknowledged transactions of parallel senders survive when the node is killed repeatedly', async () => {
  const { url } = await startChain()
  const client = createClient(url)
  const acknowledged: { hash: `0x${string}`; blockHash: `0x${string}` }[] = []
  for (let round = 0; round < 3; round += 1) {
    const senders = Array.from({ length: 8 }, (_, index) => mnemonicToAccount(testMnemonic, { addressIndex: index }))
    const sends = senders.map(async (sender) => {
      const hash = await client.sendTransaction({ account: sender, to: recipient, value: 1n })
      const { blockHash } = await client.getTransactionReceipt({ hash })
      acknowledged.push({ hash, blockHash })
    })
    await Promise.any(sends)
    killNode()
    await Promise.allSettled(sends)
    await expect.poll(() => client.getChainId().catch(() => 0)).toBe(foundry.id)
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(3)
  for (const { hash, blockHash } of acknowledged) {
    expect((await client.getTransactionReceipt({ hash })).blockHash).toBe(blockHash)
    expect((await client.getBlock({ blockHash })).transactions).toContain(hash)
  }
})

test('startLocalChain: uses the requested past block times, even after a restart, and the current time after followClock', async () => {
  const genesis = readSeconds() - 30 * DAY_SECONDS
  const first = await startChain({ genesisAt: new Date(genesis * 1000) })
  const history = createClient(first.directUrl)
  const mineAt = async (client: typeof history, day: number): Promise<bigint> => {
    await client.setNextBlockTimestamp({ timestamp: BigInt(genesis + day * DAY_SECONDS) })
    const hash = await client.sendTransaction({ to: recipient, value: 1n })
    const { blockNumber } = await waitForReceipt(client, hash)
    return (await client.getBlock({ blockNumber })).timestamp
  }
  expect(await mineAt(history, 3)).toBe(BigInt(genesis + 3 * DAY_SECONDS))
  await first.persist()
  await first.stop()

  const secondChain = await startChain({ genesisAt: new Date(genesis * 1000) })
  expect(await mineAt(createClient(secondChain.directUrl), 4)).toBe(BigInt(genesis + 4 * DAY_SECONDS))
  await secondChain.persist()
  await secondChain.followClock()
  await secondChain.stop()

  const thirdChain = await startChain({ genesisAt: new Date(genesis * 1000) })
  await thirdChain.followClock()
  killNode()
  const client = createClient(thirdChain.url)
  await expect.poll(() => client.getChainId().catch(() => 0)).toBe(foundry.id)
  expect((await client.getBlock({ blockNumber: 1n })).timestamp).toBe(BigInt(genesis + 3 * DAY_SECONDS))
  const sentAt = readSeconds()
  await waitForReceipt(client, await client.sendTransaction({ to: recipient, value: 1n }))
  const minedAt = Number((await client.getBlock()).timestamp)
  expect(minedAt).toBeGreaterThanOrEqual(sentAt - 3)
  expect(minedAt).toBeLessThanOrEqual(readSeconds() + 3)
})

test('startLocalChain: the error names the state file, and the file is kept, when the file is damaged', async () => {
  const { url } = await startChain()
  await createClient(url).mine({ blocks: 1 })
  await runningChain?.stop()
  truncateSync(join(dir, 'state.json.gz'), 40)
  await expect(startChain()).rejects.toThrow(/state\.json\.gz is damaged/)
  expect(readFileSync(join(dir, 'state.json.gz'))).toHaveLength(40)
})
