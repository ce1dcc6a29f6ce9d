import type { Transfer } from '../../src/chain/transfer.ts'
import type { PaymentTerms } from '../../src/features/payments/payment.ts'

export const ITO = 10n ** 18n
const createAddress = (digit: string) => `0x${digit.repeat(40)}` as const
const token = createAddress('1')
export const treasury = createAddress('2')
export const payer = createAddress('3')
export const stranger = createAddress('4')
export const now = new Date('2026-01-15T12:00:00.000Z')
export const terms: PaymentTerms = {
  chainId: 31337,
  rpcUrls: [],
  token,
  treasury,
  confirmations: 3,
  maxAgeHours: 24,
}

/** Creates a transfer of the 6-hour plan's price to the treasury. */
export function createTransfer(change: Partial<Transfer> = {}): Transfer {
  return {
    chainId: 31337,
    txHash: `0x${'a'.repeat(64)}`,
    logIndex: 0,
    blockNumber: 7,
    blockHash: `0x${'b'.repeat(64)}`,
    blockAt: now,
    token,
    payer,
    recipient: treasury,
    amountWei: 10n * ITO,
    ...change,
  }
}
