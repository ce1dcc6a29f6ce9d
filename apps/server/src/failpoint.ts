/**
 * Named steps at which crash tests end the process. Outside of these tests, the failpoint function
 * does nothing.
 */
export const failpoints = [
  'append: after lock',
  'append: entries sent',
  'append: after entries',
  'append: before commit',
  'append: commit sent',
  'append: after commit',
  'anchor: before send',
  'anchor: after send',
  'anchor: after mined',
  'anchor: after save',
  'fan-out: before',
  'fan-out: at a socket',
  'fan-out: after',
] as const

/** Failpoints of a purchase, from the order to the granted plan. */
export const paymentFailpoints = [
  'order: before store',
  'order: after commit',
  'order: hash received',
  'payment: after receipt',
  'payment: before commit',
  'payment: after commit',
] as const

/** Failpoints of collecting an approved payment. */
export const collectFailpoints = ['collect: before store', 'collect: before send', 'collect: after send'] as const
export type Failpoint =
  | (typeof failpoints)[number]
  | (typeof paymentFailpoints)[number]
  | (typeof collectFailpoints)[number]
  | 'channel: before send'
  | 'channel: after send'
