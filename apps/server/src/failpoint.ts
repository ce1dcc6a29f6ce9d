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
] as const
export type Failpoint = (typeof failpoints)[number]
