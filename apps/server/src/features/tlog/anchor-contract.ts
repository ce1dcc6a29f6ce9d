import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { bytesToHex, hexToBytes } from '@tocsin/proof'
import {
  BaseError,
  ContractFunctionZeroDataError,
  createWalletClient,
  defineChain,
  type Hex,
  HttpRequestError,
  RpcRequestError,
  TimeoutError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createNodeTransport } from '../../chain/rpc-node.ts'
import type { Context } from '../../context.ts'
import type { AnchorRow } from './store.ts'

/** Block range of one eth_getLogs request. Public nodes of the anchor chain accept it. */
export const BLOCKS_PER_QUERY = 2_000n
const RPC_TIMEOUT_MS = 5_000
/** Maximum number of fee increases of one transaction: it pays at most 6 times the market fee. */
export const MAX_FEE_RAISES = 8
/**
 * Minimum gas limit of an anchoring transaction: twice the maximum that `anchor` uses for two new
 * storage slots and an event.
 */
const ANCHOR_GAS = 150_000n

/**
 * Returns size and root of the newest anchor in the contract. The size is 0 before the first
 * anchor.
 * @throws Error if no AlertAnchor contract exists at the address
 */
export async function readLatestAnchor(ctx: Context): Promise<{ size: number; root: Uint8Array }> {
  const { contract: address, chainId } = ctx.config.anchor
  const contract = { address, abi: alertAnchorAbi } as const
  const size = await ctx.anchorChain.readContract({ ...contract, functionName: 'latestSize' }).catch((error) => {
    const isMissing = error instanceof BaseError && error.walk((e) => e instanceof ContractFunctionZeroDataError)
    throw isMissing ? new Error(`There is no AlertAnchor contract at ${address} on chain ${chainId}`) : error
  })
  const root = await ctx.anchorChain.readContract({ ...contract, functionName: 'rootAt', args: [size] })
  return { size: Number(size), root: hexToBytes(root) }
}

/**
 * Returns a lower bound for the timestamp of a block mined now. An idle chain mines no blocks, so
 * its latest one may be old; the pending block is used too if the node supports it.
 */
export async function readChainTime({ anchorChain }: Context): Promise<Date> {
  const [latestBlock, pendingBlock] = await Promise.all([
    anchorChain.getBlock({ blockTag: 'latest' }),
    anchorChain.getBlock({ blockTag: 'pending' }).catch(() => null),
  ])
  const seconds = [latestBlock, pendingBlock].map((block) => Number(block?.timestamp ?? 0))
  return new Date(Math.max(...seconds) * 1000)
}

/**
 * Returns the anchors above a size from the contract's events, oldest first. Searches backwards
 * from the latest block to `fromBlock`. If `fromBlock` is null, stops at the newest anchor, which
 * covers every entry before it.
 */
export async function listChainAnchors(
  ctx: Context,
  { aboveSize, fromBlock, latestSize }: { aboveSize: number; fromBlock: bigint | null; latestSize: number },
): Promise<AnchorRow[]> {
  const foundAnchors: AnchorRow[] = []
  let to = await ctx.anchorChain.getBlockNumber()
  const end = fromBlock ?? 0n
  while (to >= end) {
    const from = to - BLOCKS_PER_QUERY + 1n > end ? to - BLOCKS_PER_QUERY + 1n : end
    foundAnchors.unshift(...(await readAnchoredEvents(ctx, from, to)))
    if (fromBlock === null && foundAnchors.some(({ size }) => size === latestSize)) break
    to = from - 1n
  }
  return foundAnchors.filter(({ size }) => size > aboveSize)
}

export async function readAnchoredEvents(
  ctx: Pick<Context, 'anchorChain' | 'config'>,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<AnchorRow[]> {
  const events = await ctx.anchorChain.getContractEvents({
    address: ctx.config.anchor.contract,
    abi: alertAnchorAbi,
    eventName: 'Anchored',
    fromBlock,
    toBlock,
    strict: true,
  })
  return events.map(({ args, transactionHash, blockNumber, blockHash }) => ({
    size: Number(args.size),
    root: hexToBytes(args.root),
    txHash: transactionHash,
    blockNumber: Number(blockNumber),
    blockHash,
    blockAt: new Date(Number(args.blockTime) * 1000),
  }))
}

export type SendAnchor = (size: number, root: Uint8Array, feeRaises: number) => Promise<Hex>

/**
 * Returns a function that sends anchoring transactions. Each transaction uses the next unconfirmed
 * nonce, so it replaces a stuck transaction instead of queueing behind it. Each of the `feeRaises`
 * multiplies the market fee by 1.25, at most `MAX_FEE_RAISES` times. If the node rejects a
 * transaction as underpriced or already known, it is sent again with one more raise. At the limit,
 * the call fails.
 */
export function createAnchorSender(ctx: Context): SendAnchor {
  const { chainId, rpcUrl, contract, key } = ctx.config.anchor
  const account = privateKeyToAccount(key)
  const chain = defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const wallet = createWalletClient({
    account,
    chain,
    transport: createNodeTransport(rpcUrl, RPC_TIMEOUT_MS),
  })

  return async (size, root, feeRaises) => {
    const call = {
      address: contract,
      abi: alertAnchorAbi,
      functionName: 'anchor',
      args: [BigInt(size), bytesToHex(root)],
      account,
    } as const
    // Read the nonce first: if an earlier transaction with this nonce is mined in the meantime, a
    // later call fails.
    const nonce = await ctx.anchorChain.getTransactionCount({ address: account.address, blockTag: 'latest' })
    await ctx.anchorChain.simulateContract({ ...call, blockTag: 'latest' })
    // The estimate fails if the node uses the pending block, where the transaction to replace has
    // already anchored this size. Then ANCHOR_GAS is used.
    const estimatedGas = await ctx.anchorChain.estimateContractGas(call).catch(() => 0n)
    const fees = await ctx.anchorChain.estimateFeesPerGas()
    for (let raiseCount = Math.min(feeRaises, MAX_FEE_RAISES); ; raiseCount++) {
      try {
        return await wallet.writeContract({
          ...call,
          gas: estimatedGas > ANCHOR_GAS ? estimatedGas : ANCHOR_GAS,
          nonce,
          maxFeePerGas: raiseFee(fees.maxFeePerGas, raiseCount),
          maxPriorityFeePerGas: raiseFee(fees.maxPriorityFeePerGas, raiseCount),
        })
      } catch (error) {
        if (raiseCount >= MAX_FEE_RAISES || !isUnderpriced(error)) throw error
      }
    }
  }
}

/**
 * Multiplies a fee by 1.25 to the power of `times`, and adds `times` wei. A replacement must pay at
 * least 10% more, and strictly more even if the market fee is zero.
 */
function raiseFee(fee: bigint, times: number): bigint {
  return (fee * 5n ** BigInt(times)) / 4n ** BigInt(times) + BigInt(times)
}

/** True if the node already has another transaction, or the same one, with this nonce. */
export function isUnderpriced(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    /underpriced|already known|already imported/i.test(`${error.message} ${error.details}`)
  )
}

/** True if the node gave no usable response. Such an error says nothing about the contract. */
export function isUnreachable(error: unknown): error is BaseError {
  if (!(error instanceof BaseError)) return false
  const cause = error.walk(
    (inner) => inner instanceof HttpRequestError || inner instanceof TimeoutError || inner instanceof RpcRequestError,
  )
  return cause !== null
}
