import { addressOfKey, hexToBytes } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { withDeadline } from '../../db/health.ts'

export interface AnchorWallet {
  balanceWei: string | null
  anchorsLeft: number | null
  isLow: boolean
}

/** Upper estimate of the gas for one anchor. */
const GAS_PER_ANCHOR = 90_000n
const LOW_BALANCE_ANCHORS = 20

/** Timeout of reading the chain, because a slow chain must not delay the rest of the response. */
const CHAIN_TIMEOUT_MS = 1_500
const UNREADABLE: AnchorWallet = { balanceWei: null, anchorsLeft: null, isLow: false }

export function getAnchorWalletAddress({ config }: Context): `0x${string}` {
  return addressOfKey(hexToBytes(config.anchor.key))
}

/** Returns the balance of the anchoring wallet, or nulls if the chain does not respond in time. */
export function findAnchorWallet(ctx: Context): Promise<AnchorWallet> {
  return withDeadline(
    readAnchorWallet(ctx).catch(() => UNREADABLE),
    CHAIN_TIMEOUT_MS,
    UNREADABLE,
  )
}

export async function findAnchorsLeft(ctx: Context): Promise<number | null> {
  return (await findAnchorWallet(ctx)).anchorsLeft
}

async function readAnchorWallet(ctx: Context): Promise<AnchorWallet> {
  const address = getAnchorWalletAddress(ctx)
  const [balance, gasPrice] = await Promise.all([
    ctx.anchorChain.getBalance({ address }),
    ctx.anchorChain.getGasPrice(),
  ])
  return computeAnchorsLeft(balance, gasPrice)
}

export function computeAnchorsLeft(balance: bigint, gasPrice: bigint): AnchorWallet {
  const cost = gasPrice * GAS_PER_ANCHOR
  const affordableAnchors = cost === 0n ? null : balance / cost
  const anchorsLeft =
    affordableAnchors === null ? null : Number(affordableAnchors > 1_000_000n ? 1_000_000n : affordableAnchors)
  return {
    balanceWei: balance.toString(),
    anchorsLeft,
    isLow: anchorsLeft !== null && anchorsLeft < LOW_BALANCE_ANCHORS,
  }
}
