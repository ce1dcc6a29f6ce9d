import { itoTokenAbi } from '@tocsin/contracts/abi'
import { testAccount, waitForReceipt } from '@tocsin/testkit'
import { createTestClient, createWalletClient, type Hex, http, parseEther, publicActions, walletActions } from 'viem'
import { foundry } from 'viem/chains'
import type { Product } from './product.ts'

/**
 * Timeout of requests to the local chain, which may take long to save its state on a busy machine.
 * After viem's default timeout of 10 s, viem would resend a transaction, and the second send fails.
 */
export const RPC_TIMEOUT_MS = 120_000

/**
 * Controls the local chain: transactions outside the page, blocks, reorganizations and balances.
 * While automine is on, sending a transaction also waits until it is in a block. anvil returns the
 * hash earlier, and a block mined by the test could then take the place of the automatic one.
 */
export async function openLocalChain({ url, chainUrl }: Pick<Product, 'url' | 'chainUrl'>) {
  const transport = http(chainUrl, { timeout: RPC_TIMEOUT_MS })
  const control = createTestClient({ mode: 'anvil', chain: foundry, transport })
    .extend(publicActions)
    .extend(walletActions)
  const { token, treasury }: { token: { address: Hex }; treasury: Hex } = await (
    await fetch(`${url}/api/config`)
  ).json()

  let isAutomining = true
  async function waitUntilMined(hash: Hex): Promise<Hex> {
    if (isAutomining) await waitForReceipt(control, hash)
    return hash
  }

  async function transfer(
    from: number,
    amount: string,
    options: { to?: Hex; gas?: bigint; nonce?: number; tip?: bigint } = {},
  ) {
    const { to = treasury, gas, nonce, tip } = options
    const wallet = createWalletClient({ account: testAccount(from), chain: foundry, transport })
    const hash = await wallet.writeContract({
      address: token.address,
      abi: itoTokenAbi,
      functionName: 'transfer',
      args: [to, parseEther(amount)],
      ...(gas === undefined ? {} : { gas }),
      ...(nonce === undefined ? {} : { nonce }),
      ...(tip === undefined ? {} : { maxPriorityFeePerGas: tip, maxFeePerGas: 2n * tip }),
    })
    return waitUntilMined(hash)
  }

  return {
    token: token.address,
    treasury,
    transfer,
    /** Sets the ETH balance of an account, transfers ITO to it and waits for the receipt. */
    async fund(index: number, { ito, eth = '10' }: { ito: string; eth?: string }) {
      await control.setBalance({ address: testAccount(index).address, value: parseEther(eth) })
      if (ito === '0') return
      // Rotates over five funded accounts: one alone does not hold enough for all tests.
      await waitForReceipt(control, await transfer(3 + (index % 5), ito, { to: testAccount(index).address }))
    },
    setEth: (index: number, eth: string) =>
      control.setBalance({ address: testAccount(index).address, value: parseEther(eth) }),
    mine: (blocks = 1) => control.mine({ blocks }),
    /**
     * Stops the demo from mining for about five minutes. The demo mines an empty block when the
     * newest block is older than 30 s, so this mines a block dated 300 s ahead.
     */
    async pauseDemoMining() {
      await control.increaseTime({ seconds: 300 })
      await control.mine({ blocks: 1 })
    },
    /** While automine is off, transactions stay in the mempool. */
    async setAutomine(isOn: boolean) {
      isAutomining = isOn
      await control.setAutomine(isOn)
    },
    /** Allows the treasury to spend `amount` ITO of the account. */
    async approve(index: number, amount: string) {
      const wallet = createWalletClient({ account: testAccount(index), chain: foundry, transport })
      const args = [treasury, parseEther(amount)] as const
      const call = { address: token.address, abi: itoTokenAbi, functionName: 'approve', args } as const
      return waitUntilMined(await wallet.writeContract(call))
    },
    allowance: (index: number) =>
      control.readContract({
        address: token.address,
        abi: itoTokenAbi,
        functionName: 'allowance',
        args: [testAccount(index).address, treasury],
      }),
    /** Returns the signed transaction, to send it again after a reorganization removed it. */
    readRaw: (hash: Hex) =>
      control.request<{ Method: 'eth_getRawTransactionByHash'; Parameters: [Hex]; ReturnType: Hex }>({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      }),
    sendRaw: async (serializedTransaction: Hex) =>
      waitUntilMined(await control.sendRawTransaction({ serializedTransaction })),
    drop: (hash: Hex) => control.dropTransaction({ hash }),
    readNonce: (index: number) => control.getTransactionCount({ address: testAccount(index).address }),
    /** Replaces a pending transaction by an empty one, as a wallet's "cancel" does. */
    cancelByReplacement(index: number, nonce: number, tip: bigint) {
      const account = testAccount(index)
      const wallet = createWalletClient({ account, chain: foundry, transport })
      const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: 2n * tip }
      return wallet.sendTransaction({ to: account.address, value: 0n, nonce, gas: 21_000n, ...fees })
    },
    /** Removes the last blocks and their transactions. */
    reorg: (depth: number) =>
      control.request<{ Method: 'anvil_reorg'; Parameters: [number, unknown[]]; ReturnType: null }>({
        method: 'anvil_reorg',
        params: [depth, []],
      }),
  }
}

export type LocalChain = Awaited<ReturnType<typeof openLocalChain>>
