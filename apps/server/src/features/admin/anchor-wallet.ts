import { addressOfKey, hexToBytes } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { within } from './within.ts'

export interface AnchorWallet {
  balanceWei: string | null
  anchorsLeft: number | null
  isLow: boolean
}

/** What one anchor costs, generously. */
const GAS_OF_ANCHOR = 90_000n
const FEW = 20

/** A chain that is slow to answer must not hold up what else is asked. */
const CHAIN_PATIENCE_MS = 1_500
const UNREADABLE: AnchorWallet = { balanceWei: null, anchorsLeft: null, isLow: false }

export function anchorWalletAddress({ config }: Context): `0x${string}` {
  return addressOfKey(hexToBytes(config.anchor.key))
}

/** What the wallet that pays for anchors still holds; nothing known where the chain does not say it in time. */
export function findAnchorWallet(ctx: Context): Promise<AnchorWallet> {
  return within(CHAIN_PATIENCE_MS, readAnchorWallet(ctx), UNREADABLE)
}

export async function findAnchorsLeft(ctx: Context): Promise<number | null> {
  return (await findAnchorWallet(ctx)).anchorsLeft
}

async function readAnchorWallet(ctx: Context): Promise<AnchorWallet> {
  const address = anchorWalletAddress(ctx)
  const [balance, gasPrice] = await Promise.all([
    ctx.anchorChain.getBalance({ address }),
    ctx.anchorChain.getGasPrice(),
  ])
  return judgeBalance(balance, gasPrice)
}

export function judgeBalance(balance: bigint, gasPrice: bigint): AnchorWallet {
  const cost = gasPrice * GAS_OF_ANCHOR
  const left = cost === 0n ? null : balance / cost
  const anchorsLeft = left === null ? null : Number(left > 1_000_000n ? 1_000_000n : left)
  return { balanceWei: balance.toString(), anchorsLeft, isLow: anchorsLeft !== null && anchorsLeft < FEW }
}
