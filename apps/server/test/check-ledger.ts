import { getPlan } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { listTransferLogs } from '../src/chain/transfer-logs.ts'
import type { Context } from '../src/context.ts'
import { orders, payments } from '../src/db/schema/payments.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { compareLedger } from '../src/features/payments/compare-ledger.ts'
import { listLedgerEntries } from '../src/features/payments/ledger-store.ts'

type PaymentRow = typeof payments.$inferSelect

/**
 * Checks the invariants of the ledger. Every transfer to the treasury on the chain is recorded
 * exactly once, and the ledger contains no other transfer. The total length of the granted periods
 * equals the total length of the paid plans: one plan for each paid order, and one for each
 * credited payment without an order. Works only if no admin has changed a period. Plans that an
 * admin or a coupon has granted are ignored.
 * @throws Error that describes the violation
 */
export async function checkLedger({ db, config, paymentChain }: Context): Promise<void> {
  const blocks = { from: 0, to: Number(await paymentChain.getBlockNumber()) }
  const chainEntries = await listTransferLogs(paymentChain, config.payment, blocks)
  const ledgerEntries = await listLedgerEntries(db, config.payment, blocks)
  const differences = compareLedger(ledgerEntries, chainEntries)
  if (differences.length > 0) throw new Error(`The ledger differs from the chain: ${JSON.stringify(differences)}`)

  const [paymentRows, periods, orderRows] = await Promise.all([
    db.select().from(payments),
    db.select().from(subscriptions),
    db.select().from(orders),
  ])
  const grants = new Map<string, PaymentRow[]>()
  for (const payment of paymentRows) {
    const grant = payment.orderId ?? payment.id
    grants.set(grant, [...(grants.get(grant) ?? []), payment])
  }
  let owedHours = 0
  for (const [grant, grantPayments] of grants) {
    const priceWei = orderRows.find(({ id }) => id === grant)?.priceWei
    const remainingWei = sumAmounts(grantPayments.filter(({ revertedAt }) => revertedAt === null))
    const [firstPayment] = grantPayments
    const isFullyPaid =
      remainingWei >= sumAmounts(grantPayments) || (priceWei !== undefined && remainingWei >= priceWei)
    if (isFullyPaid && firstPayment) owedHours += getPlan(firstPayment.planId).hours
  }
  const grantedPeriods = periods.filter(({ revokedAt, grantId }) => revokedAt === null && grantId === null)
  const grantedMs = grantedPeriods.reduce(
    (total, { startsAt, endsAt }) => total + endsAt.getTime() - startsAt.getTime(),
    0,
  )
  if (grantedMs !== owedHours * HOUR_MS) {
    throw new Error(`${grantedMs / HOUR_MS} hours were granted for payments of ${owedHours} hours`)
  }
}

function sumAmounts(rows: readonly PaymentRow[]): bigint {
  return rows.reduce((total, { amountWei }) => total + amountWei, 0n)
}
