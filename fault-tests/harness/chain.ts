import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertAnchorAbi, itoTokenAbi } from '@tocsin/contracts/abi'
import { alertAnchorBytecode, itoTokenBytecode } from '@tocsin/contracts/bytecode'
import { startLocalChain } from '@tocsin/demo/local-chain.ts'
import { startTcpProxy, testAccount, testAnchorer, testTreasury, waitForReceipt } from '@tocsin/testkit'
import { type Address, createPublicClient, createTestClient, createWalletClient, type Hex, http } from 'viem'
import type { HDAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const ITO = 10n ** 18n
const RPC_TIMEOUT_MS = 20_000
/** Number of accounts that fund new wallets in turn: accounts 0 to 9, with 1,000 ITO each. */
const FUNDER_COUNT = 10

export type Chain = Awaited<ReturnType<typeof startChain>>

/**
 * Starts a local chain that keeps its state when its node is killed. The product reaches the node
 * through a proxy, `rpcUrl`. The harness connects to it directly.
 */
export async function startChain(dir: string) {
  const localChain = await startLocalChain({ dir, port: 0 })
  await localChain.followClock()
  const transport = http(localChain.url, { retryCount: 0, timeout: RPC_TIMEOUT_MS })
  const client = createPublicClient({ transport, pollingInterval: 50, cacheTime: 0 })
  const control = createTestClient({ mode: 'anvil', transport })
  const getWallet = (account: HDAccount) => createWalletClient({ account, chain: foundry, transport })
  const deployer = getWallet(testAccount(0))
  const readAddress = async (hash: Hex): Promise<Address> => {
    const { contractAddress } = await waitForReceipt(client, hash)
    if (!contractAddress) throw new Error('The deployment created no contract')
    return contractAddress
  }
  const holders = Array.from({ length: FUNDER_COUNT }, (_, index) => testAccount(index).address)
  const token = await readAddress(
    await deployer.deployContract({ abi: itoTokenAbi, bytecode: itoTokenBytecode, args: [holders, 1_000n * ITO] }),
  )
  const anchorContract = await readAddress(
    await deployer.deployContract({ abi: alertAnchorAbi, bytecode: alertAnchorBytecode, args: [testAnchorer] }),
  )
  await control.setBalance({ address: testAnchorer, value: 1_000n * ITO })
  const proxy = await startTcpProxy(localChain.url)
  /**
   * The latest transaction. Transactions run one after the other, because nonces are read from the
   * node.
   */
  let last: Promise<unknown> = Promise.resolve()
  const runInTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run)
    last = next.catch(() => {})
    return next
  }
  const sendTransfer = async (from: HDAccount, to: Address, amountWei: bigint) => {
    const hash = await getWallet(from).writeContract({
      address: token,
      abi: itoTokenAbi,
      functionName: 'transfer',
      args: [to, amountWei],
      gas: 100_000n,
    })
    const { status } = await waitForReceipt(client, hash)
    if (status !== 'success') throw new Error('The transfer reverted')
    return hash
  }
  return {
    rpcUrl: proxy.url.replace(/\/$/, ''),
    proxy,
    client,
    token,
    anchorContract,
    treasury: testTreasury,
    /** Gives a new wallet ITO, and coins to pay transaction fees. */
    fund: (wallet: Address, amountWei: bigint, number: number) =>
      runInTurn(async () => {
        await control.setBalance({ address: wallet, value: ITO })
        await sendTransfer(testAccount(number % FUNDER_COUNT), wallet, amountWei)
      }),
    pay: (from: HDAccount, amountWei: bigint) => runInTurn(() => sendTransfer(from, testTreasury, amountWei)),
    mine: () => control.mine({ blocks: 1 }),
    /** Replaces the newest blocks by empty ones. */
    reorganise: (depth: number) =>
      runInTurn(() => client.request({ method: 'anvil_reorg', params: [depth, []] } as never)).then(() => {}),
    /** Ends the node, which is then restarted from its state on disk. */
    endNode: (signal: 'SIGKILL' | 'SIGTERM') =>
      process.kill(Number.parseInt(readFileSync(join(dir, 'anvil.pid'), 'utf8'), 10), signal),
    async stop() {
      await proxy.close()
      await localChain.stop()
    },
  }
}
