import type { Hex } from '@tocsin/proof'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { isIncoming } from './payment.ts'
import * as store from './store.ts'
import { askPaymentChain, findBlock, readTransaction } from './transaction.ts'

export interface PaymentEffects {
  /** Takes away what the payment had given. */
  revokePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
  /** Gives it again. */
  restorePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
}

/** Blocks after which a payment is taken for final: two epochs of Ethereum. */
const FINAL_BLOCKS = 64
const HOUR_MS = 3_600_000

/**
 * Compares every payment that is not final with the chain. What counts is the hash of the block at the payment's height: a missing receipt
 * alone may be a node that lags, and takes nothing from anybody.
 */
export async function recheckPayments(ctx: Context, effects: PaymentEffects, head: number): Promise<void> {
  const { chainId, maxAgeHours } = ctx.config.payment
  const notBefore = new Date(ctx.clock.now().getTime() - maxAgeHours * HOUR_MS)
  const hashes = new Map<number, Promise<Hex | null>>()
  for (const payment of await store.listUnsettled(ctx.db, chainId, head - FINAL_BLOCKS, notBefore)) {
    const height = payment.blockNumber
    const known = hashes.get(height) ?? readBlockHash(ctx, height)
    hashes.set(height, known)
    const hash = await known
    const isCanonical = hash === payment.blockHash
    if (hash === null || (isCanonical && payment.revertedAt === null)) continue
    await followPayment(ctx, effects, payment)
  }
}

async function readBlockHash(ctx: Context, height: number): Promise<Hex | null> {
  return askPaymentChain(ctx, async () => (await findBlock(ctx, { blockNumber: BigInt(height) }))?.hash ?? null)
}

/** Its block is not the one that we knew: the transaction is in another one, or gone. */
async function followPayment(ctx: Context, effects: PaymentEffects, payment: store.PaymentRow): Promise<void> {
  const { confirmations } = ctx.config.payment
  const transaction = await readTransaction(ctx, payment.txHash)
  const transfers = transaction.state === 'mined' ? transaction.transfers : []
  const transfer = transfers.find((candidate) => isSameTransfer(ctx, candidate, payment))
  const isConfirmed = transaction.state === 'mined' && transaction.confirmations >= confirmations
  await ctx.db.transaction(async (tx) => {
    if (transfer && isConfirmed) {
      const isBack = await store.markMined(tx, payment, transfer)
      if (isBack) await effects.restorePayment(ctx, tx, payment.id)
    } else if (await store.markReverted(tx, payment.id, ctx.clock.now())) {
      await effects.revokePayment(ctx, tx, payment.id)
    }
  })
}

function isSameTransfer(ctx: Context, transfer: Transfer, payment: store.PaymentRow): boolean {
  return (
    transfer.logIndex === payment.logIndex &&
    transfer.payer === payment.payer &&
    transfer.amountWei === payment.amountWei &&
    isIncoming(transfer, ctx.config.payment)
  )
}
