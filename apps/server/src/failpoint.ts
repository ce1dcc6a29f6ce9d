/**
 * Steps between which a crash must not hurt. That it does not is shown by a program of its own, which hands in what ends the process there; the
 * product has nothing that could.
 */
export const failpoints = [
  'append: after lock',
  'append: after entries',
  'append: after nodes',
  'append: after head',
  'append: before commit',
  'append: after commit',
  'anchor: before send',
  'anchor: after send',
  'anchor: after mined',
  'anchor: after save',
  'fan-out: before',
  'fan-out: at a socket',
  'fan-out: after',
] as const

/** The same of a purchase: from the order to the granted plan. */
export const paymentFailpoints = [
  'order: before store',
  'order: after commit',
  'order: hash received',
  'payment: after receipt',
  'payment: before commit',
  'payment: after commit',
] as const

/** The same of collecting what a wallet has approved. */
export const collectFailpoints = ['collect: before store', 'collect: before send', 'collect: after send'] as const
export type Failpoint =
  | (typeof failpoints)[number]
  | (typeof paymentFailpoints)[number]
  | (typeof collectFailpoints)[number]
