import { spawn } from 'node:child_process'
import { alertAnchorAbi, itoTokenAbi } from '@tocsin/contracts/abi'
import { alertAnchorBytecode, itoTokenBytecode } from '@tocsin/contracts/bytecode'
import { findAnvil } from '@tocsin/demo/local-chain.ts'
import { type Address, checksumAddress, type Hex } from '@tocsin/proof'
import type { Config } from '@tocsin/server/config.ts'
import {
  type Chain,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type HttpTransport,
  http,
  type PublicClient,
  type TestClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type WalletClient,
} from 'viem'
import type { HDAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { testAccount, testAnchorer, testAnchorKey, testTreasury } from './accounts.ts'
import { killOnExit, waitForOutput } from './child-process.ts'

export type TestWallet = WalletClient<HttpTransport, Chain, HDAccount>

export interface TestChain {
  url: string
  chainId: number
  token: Address
  treasury: Address
  anchorContract: Address
  anchorKey: Hex
  /**
   * Accounts 0 to 9 of the test mnemonic, each with ETH and 1,000 ITO. Account 0 deploys contracts.
   */
  wallets: TestWallet[]
  deployer: TestWallet
  client: PublicClient
  /** anvil's control methods: time, balances, reorgs. */
  control: TestClient<'anvil'>
  /** The `payment` and `anchor` sections of a configuration for this chain. */
  settings: Pick<Config, 'payment' | 'anchor'>
  wallet(index: number): TestWallet
  /**
   * Sends ITO from a test account, by default to the treasury. Returns the receipt of the mined
   * transaction.
   */
  pay(payment: { from: number; amountWei: bigint; to?: Address; token?: Address }): Promise<TransactionReceipt>
  /** Deploys another ITO token with the same name and symbol, like a counterfeit. */
  deployToken(): Promise<Address>
  /**
   * Returns the contract of `settings` on the first call and deploys a new one on each later call,
   * because each log needs its own contract.
   */
  nextAnchorContract(): Promise<Address>
  /** Adds empty blocks. */
  mine(blocks?: number): Promise<void>
  /** Time of the newest block. */
  latestBlockAt(): Promise<Date>
  snapshot(): Promise<Hex>
  revert(id: Hex): Promise<void>
  stop(): Promise<void>
}

const ITO = 10n ** 18n
/** Timeout of an RPC request. On a busy machine anvil may need long to mine hundreds of blocks. */
const RPC_TIMEOUT_MS = 120_000
const RECEIPT_POLL_MS = 20

/**
 * Waits until a transaction is mined and returns its receipt. viem's own wait checks once per new
 * block, but anvil announces a block before its receipts are available, so without further blocks
 * viem would wait forever.
 */
export async function waitForReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
): Promise<TransactionReceipt> {
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
      await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
    }
  }
}

/**
 * Starts a local chain (anvil) on a free port, deploys both contracts and mines a block per
 * transaction.
 */
export async function startTestChain(chainId: number = foundry.id): Promise<TestChain> {
  const options = ['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`, '--max-persisted-states', '0']
  const child = spawn(findAnvil(), options, { stdio: ['ignore', 'pipe', 'pipe'] })
  const stopChild = killOnExit(child, 'SIGTERM')
  const [, port] = await waitForOutput(child, /Listening on 127\.0\.0\.1:(\d+)/)
  const url = `http://127.0.0.1:${port}`
  const transport = http(url, { retryCount: 0, timeout: RPC_TIMEOUT_MS })
  const client: PublicClient = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 })
  const control = createTestClient({ mode: 'anvil', transport })
  const wallets = Array.from({ length: 10 }, (_, index) =>
    createWalletClient({ account: testAccount(index), chain: { ...foundry, id: chainId }, transport }),
  )
  const wallet = (index: number) => {
    const foundWallet = wallets[index]
    if (!foundWallet) throw new Error(`The test chain has no account ${index}`)
    return foundWallet
  }
  const deployer = wallet(0)
  const getDeployedAddress = async (hash: Hex) => {
    const { contractAddress } = await waitForReceipt(client, hash)
    if (!contractAddress) throw new Error('The deployment created no contract')
    return checksumAddress(contractAddress)
  }
  const deployToken = async () => {
    const holders = wallets.map(({ account }) => account.address)
    return getDeployedAddress(
      await deployer.deployContract({ abi: itoTokenAbi, bytecode: itoTokenBytecode, args: [holders, 1_000n * ITO] }),
    )
  }
  const deployAnchor = async () =>
    getDeployedAddress(
      await deployer.deployContract({ abi: alertAnchorAbi, bytecode: alertAnchorBytecode, args: [testAnchorer] }),
    )
  const token = await deployToken()
  const anchorContract = await deployAnchor()
  let isFirstAnchorUsed = false
  await control.setBalance({ address: testAnchorer, value: 100n * ITO })

  return {
    url,
    chainId,
    token,
    treasury: testTreasury,
    anchorContract,
    anchorKey: testAnchorKey,
    wallets,
    deployer,
    client,
    control,
    settings: {
      payment: {
        chainId,
        rpcUrls: [url],
        token,
        treasury: testTreasury,
        confirmations: 1,
        maxAgeHours: 24,
      },
      anchor: {
        chainId,
        rpcUrl: url,
        publicRpcUrl: null,
        contract: anchorContract,
        key: testAnchorKey,
        intervalSeconds: 1,
        heartbeatSeconds: 0,
      },
    },
    wallet,
    async pay({ from, amountWei, to = testTreasury, token: paidToken = token }) {
      const hash = await wallet(from).writeContract({
        address: paidToken,
        abi: itoTokenAbi,
        functionName: 'transfer',
        args: [to, amountWei],
        // A fixed gas limit skips gas estimation, so that a failing transfer is sent and reverts on
        // chain.
        gas: 100_000n,
      })
      return waitForReceipt(client, hash)
    },
    deployToken,
    async nextAnchorContract() {
      if (isFirstAnchorUsed) return deployAnchor()
      isFirstAnchorUsed = true
      return anchorContract
    },
    mine: (blocks = 1) => control.mine({ blocks }),
    async latestBlockAt() {
      const { timestamp } = await client.getBlock()
      return new Date(Number(timestamp) * 1000)
    },
    snapshot: () => control.snapshot(),
    revert: (id) => control.revert({ id }),
    stop: stopChild,
  }
}
