import { itoTokenAbi } from '@tocsin/contracts/abi'
import type { PublicConfig } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { type Chain, createClient, custom, type EIP1193Provider, encodeFunctionData, getAddress, type Hex } from 'viem'
import {
  estimateFeesPerGas,
  estimateGas,
  getBalance,
  getCode,
  readContract,
  waitForTransactionReceipt,
  writeContract,
} from 'viem/actions'
import { explainError } from './explain-error.ts'
import { chooseTransport, describeNetwork, type WalletCall } from './network.ts'
import type { Funds, PaymentPath, ReceiptOutcome, TokenPayment } from './token-payment.ts'
import { WalletError } from './wallet-error.ts'

const receiptTimeoutMs = 10 * MINUTE_MS

/**
 * Reads and writes the token on one chain. Reads go through this site if it has an RPC endpoint for
 * the chain, else through the wallet. Writes always go through the wallet.
 */
export class TokenChain {
  readonly #chain: Chain
  readonly #provider: () => Promise<EIP1193Provider>
  readonly #reader: ReturnType<typeof createReader>

  constructor(chainId: number, config: PublicConfig, provider: () => Promise<EIP1193Provider>) {
    this.#chain = describeNetwork(chainId, config)
    this.#provider = provider
    const request = async (call: WalletCall) => (await provider()).request(call)
    this.#reader = createReader(this.#chain, chooseTransport(chainId, config, request))
  }

  /** Null if the chain does not respond or has no such token. */
  async readBalance(token: string, owner: string): Promise<bigint | null> {
    const call = { ...createTokenContract(token), functionName: 'balanceOf', args: [getAddress(owner)] } as const
    return readContract(this.#reader, call).catch(() => null)
  }

  async readNative(owner: string): Promise<bigint | null> {
    return getBalance(this.#reader, { address: getAddress(owner) }).catch(() => null)
  }

  async readFunds(payment: TokenPayment, path: PaymentPath): Promise<Funds> {
    const [balanceWei, nativeWei, allowanceWei, feeWei] = await Promise.all([
      this.readBalance(payment.token, payment.payer),
      this.readNative(payment.payer),
      path === 'approve' ? this.readAllowance(payment) : 0n,
      this.#estimateFee(payment, path).catch(() => null),
    ])
    return { balanceWei, nativeWei, allowanceWei, feeWei }
  }

  /** Returns 0 if the allowance can't be read, so that the caller requests a new approval. */
  async readAllowance({ token, payer, recipient }: TokenPayment): Promise<bigint> {
    const args = [getAddress(payer), getAddress(recipient)] as const
    return readContract(this.#reader, { ...createTokenContract(token), functionName: 'allowance', args }).catch(
      () => 0n,
    )
  }

  /**
   * Asks the wallet to send one `transfer` or `approve` of exactly the payment's amount. Returns
   * the transaction hash. Never opens a wallet request once the signal is aborted.
   * @throws WalletError, of kind 'stopped' or 'not_sent' if the wallet was not asked
   */
  async send(payment: TokenPayment, path: PaymentPath, signal: AbortSignal): Promise<string> {
    const { token, payer } = payment
    let isWalletAsked = false
    try {
      // A call to an address without code succeeds without transferring anything.
      const code = await getCode(this.#reader, { address: getAddress(token) })
      if (code === undefined) throw new WalletError('other', 'Contract not initialized')
      const transport = await this.#asWallet(signal, () => {
        isWalletAsked = true
      })
      const wallet = createClient({ account: getAddress(payer), chain: this.#chain, transport })
      return await writeContract(wallet, { address: getAddress(token), ...createTokenCall(payment, path) })
    } catch (error) {
      const walletError = explainError(error, this.#chain.name, 'Transaction failed')
      const { kind, message, technical } = walletError
      throw isWalletAsked || kind === 'stopped' ? walletError : new WalletError('not_sent', message, technical)
    }
  }

  /**
   * Waits for the receipt of a transaction. Calls `onReplaced` with the new hash if the user
   * replaces the transaction in the wallet, for example to pay a higher fee. Does not call it for a
   * cancellation.
   */
  async waitForReceipt(hash: string, onReplaced: (hash: string) => void): Promise<ReceiptOutcome> {
    let isCancelled = false
    const { status, gasUsed, effectiveGasPrice } = await waitForTransactionReceipt(this.#reader, {
      hash: toHex(hash),
      timeout: receiptTimeoutMs,
      pollingInterval: 1000,
      onReplaced: ({ reason, transaction }) => {
        isCancelled = reason === 'cancelled'
        if (!isCancelled) onReplaced(transaction.hash)
      },
    })
    return { result: isCancelled ? 'cancelled' : status, feeWei: gasUsed * effectiveGasPrice }
  }

  async #estimateFee(payment: TokenPayment, path: PaymentPath): Promise<bigint> {
    const data = encodeFunctionData(createTokenCall(payment, path))
    const [gas, fees] = await Promise.all([
      estimateGas(this.#reader, { account: getAddress(payment.payer), to: getAddress(payment.token), data }),
      estimateFeesPerGas(this.#reader),
    ])
    return gas * (fees.maxFeePerGas ?? 0n)
  }

  /** @param onAsk called before the wallet is asked to send a transaction */
  async #asWallet(signal: AbortSignal, onAsk: () => void) {
    const provider = await this.#provider()
    // viem reads the chain id before it sends the transaction, so check the signal before each
    // request.
    const request = async (call: WalletCall): Promise<unknown> => {
      signal.throwIfAborted()
      // `WalletCall` is `never` here, because viem's type of `request` is generic. So declare the
      // type of `method`.
      const { method }: { method: string } = call
      if (method.endsWith('_sendTransaction')) onAsk()
      return provider.request(call)
    }
    // Every request opens a wallet window, so do not retry.
    return custom({ request }, { retryCount: 0 })
  }
}

function createReader(chain: Chain, transport: ReturnType<typeof chooseTransport>) {
  return createClient({ chain, transport })
}

function createTokenContract(token: string) {
  return { abi: itoTokenAbi, address: getAddress(token) } as const
}

function createTokenCall({ recipient, amountWei }: TokenPayment, path: PaymentPath) {
  const functionName = path === 'approve' ? 'approve' : 'transfer'
  return { abi: itoTokenAbi, functionName, args: [getAddress(recipient), amountWei] } as const
}

function toHex(hash: string): Hex {
  return `0x${hash.replace(/^0x/, '')}`
}
