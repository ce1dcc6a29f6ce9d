import type { Order } from '@tocsin/protocol'

const ITO = 10n ** 18n

/** An open order for 6 hours, for tests. */
export const sampleOrder: Order = {
  id: '6f0e5a35-31a0-4d5e-9f2c-7bb1d1a4c0aa',
  status: 'open',
  flags: [],
  planType: '6h',
  priceWei: (10n * ITO).toString(),
  coupon: null,
  paidWei: '0',
  missingWei: (10n * ITO).toString(),
  excessWei: '0',
  token: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  decimals: 18,
  chainId: 31337,
  chainName: 'Local Chain',
  treasury: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  path: 'transfer',
  spender: null,
  createdAt: '2026-11-21T14:00:00.000Z',
  expiresAt: '2026-11-21T15:00:00.000Z',
  watchedUntil: '2026-11-22T15:00:00.000Z',
  transactionHash: null,
  isPending: false,
  replacedHashes: [],
  blockNumber: null,
  confirmations: 0,
  required: 2,
  message: null,
  subscription: null,
}
