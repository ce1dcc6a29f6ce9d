import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { itoTokenAbi } from '@tocsin/contracts/abi'
import { type Address, createPublicClient, http, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { computeDemoContracts, deployDemoContracts } from './demo-contracts.ts'
import { openFaucet } from './faucet.ts'
import { type LocalChain, startLocalChain } from './local-chain.ts'

const dir = mkdtempSync(join(tmpdir(), 'tocsin-faucet-'))
const createAddress = (index: number): Address => `0x${String(index).padStart(40, 'a')}`
let chain: LocalChain

beforeAll(async () => {
  chain = await startLocalChain({ dir, port: 0 })
  await deployDemoContracts(chain.url, createAddress(9))
})
afterAll(async () => {
  await chain?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function readBalances(address: Address): Promise<{ ito: bigint; eth: bigint }> {
  const client = createPublicClient({ transport: http(chain.url) })
  const contract = { address: computeDemoContracts().token, abi: itoTokenAbi } as const
  const [ito, eth] = await Promise.all([
    client.readContract({ ...contract, functionName: 'balanceOf', args: [address] }),
    client.getBalance({ address }),
  ])
  return { ito, eth }
}

test('openFaucet: sends 100 ITO and, if needed, ETH for fees to a wallet at most once an hour', async () => {
  let nowMs = 0
  const faucet = openFaucet(chain.url, () => nowMs)
  const to = createAddress(1)
  // Simulates a double click on the button of the faucet.
  const [first, again] = await Promise.allSettled([faucet.dispense(to), faucet.dispense(to)])
  expect(first).toMatchObject({ status: 'fulfilled', value: { transactionHash: expect.stringMatching(/^0x/) } })
  expect(again).toMatchObject({ status: 'rejected', reason: { code: 'too_many_requests' } })
  expect(await readBalances(to)).toEqual({ ito: parseEther('100'), eth: parseEther('0.1') })
  nowMs = 3_599_999
  await expect(faucet.dispense(to)).rejects.toMatchObject({ code: 'too_many_requests' })
  nowMs = 3_600_000
  await faucet.dispense(to)
  expect(await readBalances(to), 'enough for fees').toEqual({ ito: parseEther('200'), eth: parseEther('0.1') })
})

test('openFaucet: sends 100 ITO to each wallet when two wallets request tokens simultaneously', async () => {
  const faucet = openFaucet(chain.url)
  const wallets = [createAddress(2), createAddress(3)]
  await Promise.all(wallets.map((wallet) => faucet.dispense(wallet)))
  for (const wallet of wallets) expect((await readBalances(wallet)).ito).toBe(parseEther('100'))
})
