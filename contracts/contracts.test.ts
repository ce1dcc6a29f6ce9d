import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { findAnvil, testMnemonic } from '@tocsin/demo/local-chain.ts'
import { eventually } from '@tocsin/testkit/eventually'
import { type Address, createTestClient, type Hex, http, parseEventLogs, publicActions, walletActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildContracts } from './build.ts'

const owner = mnemonicToAccount(testMnemonic, { addressIndex: 0 })
const stranger = mnemonicToAccount(testMnemonic, { addressIndex: 1 })
const successor = mnemonicToAccount(testMnemonic, { addressIndex: 2 })
const rootA: Hex = `0x${'aa'.repeat(32)}`
const rootB: Hex = `0x${'bb'.repeat(32)}`
const zeroRoot: Hex = `0x${'00'.repeat(32)}`

let anvil: ChildProcess
let chain: ReturnType<typeof connect>
let contracts: typeof import('./abi.ts') & typeof import('./bytecode.ts')

function connect(port: string) {
  return createTestClient({
    chain: foundry,
    mode: 'anvil',
    pollingInterval: 10,
    transport: http(`http://127.0.0.1:${port}`),
  })
    .extend(publicActions)
    .extend(walletActions)
}

/** Reads the output of anvil until it names the port on which anvil listens. */
async function readPort(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('anvil has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^Listening on .*:(\d+)$/.exec(line)?.[1]
    if (port) return port
  }
  throw new Error('anvil exited before it listened on a port')
}

beforeAll(async () => {
  await buildContracts()
  contracts = { ...(await import('./abi.ts')), ...(await import('./bytecode.ts')) }
  anvil = spawn(findAnvil(), ['--port', '0', '--mnemonic', testMnemonic], { stdio: ['ignore', 'pipe', 'inherit'] })
  chain = connect(await readPort(anvil))
  // `readPort` pauses the output when it ends. anvil would block as soon as the pipe is full.
  anvil.stdout?.resume()
})

afterAll(async () => {
  const ended = once(anvil, 'exit')
  anvil.kill()
  await ended
})

/**
 * Waits for a receipt. viem's own wait checks once per new block, but anvil announces a block
 * before its receipts are available, and no further block follows.
 */
const getReceipt = (hash: Hex) => eventually(() => chain.getTransactionReceipt({ hash }))

async function deployedAt(hash: Hex): Promise<Address> {
  const { contractAddress } = await getReceipt(hash)
  if (!contractAddress) throw new Error('The transaction deployed no contract')
  return contractAddress
}

describe('ItoToken', () => {
  it('mints the amount to each holder, with 18 decimals', async () => {
    const { itoTokenAbi: abi, itoTokenBytecode: bytecode } = contracts
    const amount = 1_000n * 10n ** 18n
    const holders = [owner.address, stranger.address]
    const hash = await chain.deployContract({ abi, bytecode, args: [holders, amount], account: owner })
    const address = await deployedAt(hash)
    const read = { abi, address } as const
    expect(await chain.readContract({ ...read, functionName: 'symbol' })).toBe('ITO')
    expect(await chain.readContract({ ...read, functionName: 'name' })).toBe('Tocsin ITO')
    expect(await chain.readContract({ ...read, functionName: 'decimals' })).toBe(18)
    expect(await chain.readContract({ ...read, functionName: 'totalSupply' })).toBe(2n * amount)
    for (const holder of holders) {
      expect(await chain.readContract({ ...read, functionName: 'balanceOf', args: [holder] })).toBe(amount)
    }
    expect(await chain.readContract({ ...read, functionName: 'balanceOf', args: [successor.address] })).toBe(0n)
  })
})

describe('AlertAnchor', () => {
  let address: Address

  beforeEach(async () => {
    const { alertAnchorAbi: abi, alertAnchorBytecode: bytecode } = contracts
    address = await deployedAt(await chain.deployContract({ abi, bytecode, args: [owner.address], account: owner }))
  })

  const contract = () => ({ abi: contracts.alertAnchorAbi, address }) as const

  // The functions below simulate a call before they send it, because a simulation reports the name
  // of the custom error.
  async function anchor(account: typeof owner, size: bigint, root: Hex) {
    const call = { ...contract(), functionName: 'anchor', args: [size, root], account } as const
    await chain.simulateContract(call)
    return getReceipt(await chain.writeContract(call))
  }

  async function offerOwnership(account: typeof owner, to: Address) {
    const call = { ...contract(), functionName: 'transferOwnership', args: [to], account } as const
    await chain.simulateContract(call)
    await getReceipt(await chain.writeContract(call))
  }

  async function acceptOwnership(account: typeof owner) {
    const call = { ...contract(), functionName: 'acceptOwnership', account } as const
    await chain.simulateContract(call)
    await getReceipt(await chain.writeContract(call))
  }

  const latestSize = () => chain.readContract({ ...contract(), functionName: 'latestSize' })
  const latestRoot = () => chain.readContract({ ...contract(), functionName: 'latestRoot' })
  const rootAt = (size: bigint) => chain.readContract({ ...contract(), functionName: 'rootAt', args: [size] })
  const currentOwner = () => chain.readContract({ ...contract(), functionName: 'owner' })

  it('rejects an anchor from an account that is not the owner, even when the transaction is sent without simulation', async () => {
    await expect(anchor(stranger, 1n, rootA)).rejects.toThrow('OwnableUnauthorizedAccount')
    const hash = await chain.writeContract({
      ...contract(),
      functionName: 'anchor',
      args: [1n, rootA],
      account: stranger,
      gas: 200_000n,
    })
    expect(await getReceipt(hash)).toMatchObject({ status: 'reverted', logs: [] })
    expect(await latestSize()).toBe(0n)
    expect(await latestRoot()).toBe(zeroRoot)
  })

  it.each([
    ['the same size and root', 5n, rootA],
    ['the same size with another root', 5n, rootB],
    ['a smaller size', 4n, rootB],
    ['size zero', 0n, rootB],
  ])('rejects an anchor with %s', async (_, size, root) => {
    await anchor(owner, 5n, rootA)
    await expect(anchor(owner, size, root)).rejects.toThrow('SizeNotGrowing')
    expect(await rootAt(5n)).toBe(rootA)
    expect(await latestSize()).toBe(5n)
  })

  it('rejects size zero and a zero root', async () => {
    await expect(anchor(owner, 0n, rootA)).rejects.toThrow('SizeNotGrowing')
    await expect(anchor(owner, 1n, zeroRoot)).rejects.toThrow('RootIsZero')
  })

  it('records ascending sizes up to the maximum', async () => {
    const largest = 2n ** 64n - 1n
    await anchor(owner, 5n, rootA)
    await anchor(owner, largest, rootB)
    expect(await Promise.all([latestSize(), latestRoot()])).toEqual([largest, rootB])
    expect(await Promise.all([rootAt(5n), rootAt(6n), rootAt(largest)])).toEqual([rootA, zeroRoot, rootB])
  })

  it('emits size, root and block time', async () => {
    const { timestamp } = await chain.getBlock()
    await chain.setNextBlockTimestamp({ timestamp: timestamp + 1_000n })
    const { logs, blockNumber } = await anchor(owner, 7n, rootA)
    const block = await chain.getBlock({ blockNumber })
    expect(block.timestamp).toBeGreaterThanOrEqual(timestamp + 1_000n)
    const [event] = parseEventLogs({ abi: contracts.alertAnchorAbi, logs, eventName: 'Anchored' })
    expect(event).toMatchObject({ address: address.toLowerCase() })
    expect(event?.args).toEqual({ size: 7n, root: rootA, blockTime: block.timestamp })
  })

  it('transfers ownership in two steps', async () => {
    await expect(offerOwnership(stranger, stranger.address)).rejects.toThrow('OwnableUnauthorizedAccount')
    await offerOwnership(owner, successor.address)
    await expect(acceptOwnership(stranger)).rejects.toThrow('OwnableUnauthorizedAccount')
    await expect(anchor(successor, 1n, rootA)).rejects.toThrow('OwnableUnauthorizedAccount')
    expect(await currentOwner()).toBe(owner.address)

    await acceptOwnership(successor)
    expect(await currentOwner()).toBe(successor.address)
    await expect(anchor(owner, 1n, rootA)).rejects.toThrow('OwnableUnauthorizedAccount')
    await anchor(successor, 1n, rootA)
    expect(await latestSize()).toBe(1n)
  })
})
