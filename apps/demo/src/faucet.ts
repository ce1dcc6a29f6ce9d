import { itoTokenAbi } from '@tocsin/contracts/abi'
import { Refusal } from '@tocsin/server/refusal.ts'
import { type Address, createWalletClient, type Hex, http, parseEther, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { computeDemoContracts } from './demo-contracts.ts'
import { testMnemonic } from './local-chain.ts'
import { waitUntilMined } from './wait-until-mined.ts'

/** A faucet of play tokens for wallets of the demo. */
export interface Faucet {
  /**
   * Transfers 100 ITO, and 0.1 ETH for fees if the wallet has less. Resolves when the transaction
   * is mined.
   * @throws Refusal too_many_requests if the wallet got tokens within the last hour, unavailable if
   * the faucet is empty
   */
  dispense(to: Address): Promise<{ transactionHash: Hex }>
}

const DISPENSED_WEI = parseEther('100')
const FEES_WEI = parseEther('0.1')
const DISPENSE_INTERVAL_MS = 3_600_000
/** With null, viem asks the node for the chain. */
const chain = null

/** The faucet pays from account 0 of the test mnemonic, which deployed the token. */
export function openFaucet(chainUrl: string, nowMs = Date.now): Faucet {
  const dispensedAtMs = new Map<string, number>()
  let lastTransfer: Promise<unknown> = Promise.resolve()
  let openedSource: ReturnType<typeof openSource> | undefined

  async function dispense(to: Address): Promise<{ transactionHash: Hex }> {
    const key = to.toLowerCase()
    if (nowMs() - (dispensedAtMs.get(key) ?? -DISPENSE_INTERVAL_MS) < DISPENSE_INTERVAL_MS) {
      throw new Refusal('too_many_requests', 'This wallet got test ITO less than an hour ago.')
    }
    openedSource ??= openSource(chainUrl)
    const transactionHash = await sendFunds(openedSource, to)
    dispensedAtMs.set(key, nowMs())
    return { transactionHash }
  }

  return {
    dispense(to) {
      // Transfers run one at a time. Concurrent transactions of one account would use the same
      // nonce.
      const transfer = lastTransfer.then(() => dispense(to))
      lastTransfer = transfer.catch(() => {})
      return transfer
    },
  }
}

/**
 * Opens the account of the faucet. Deriving its key takes 0.1 s of CPU time, so this happens at the
 * first use.
 */
function openSource(chainUrl: string) {
  const account = mnemonicToAccount(testMnemonic, { addressIndex: 0 })
  return createWalletClient({ account, transport: http(chainUrl) }).extend(publicActions)
}

async function sendFunds(source: ReturnType<typeof openSource>, to: Address): Promise<Hex> {
  const contract = { address: computeDemoContracts().token, abi: itoTokenAbi } as const
  const getBalance = (address: Address) =>
    source.readContract({ ...contract, functionName: 'balanceOf', args: [address] })
  if ((await getBalance(source.account.address)) < DISPENSED_WEI) {
    throw new Refusal('unavailable', 'The demo has no test ITO left. Start it with another DATA_DIR.')
  }
  if ((await source.getBalance({ address: to })) < FEES_WEI) {
    await waitUntilMined(source, await source.sendTransaction({ chain, to, value: FEES_WEI }))
  }
  const hash = await source.writeContract({ ...contract, chain, functionName: 'transfer', args: [to, DISPENSED_WEI] })
  await waitUntilMined(source, hash)
  return hash
}
