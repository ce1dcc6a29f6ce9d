import type { HeldAlert } from './claim.ts'

const needed = ['origin', 'signalHash', 'signer', 'logIndex', 'leafHash', 'treeSize', 'root'] as const
type WholeAlert = HeldAlert & { [field in (typeof needed)[number]]: Exclude<HeldAlert[field], undefined> }

/** Names of the fields that a copy lacks to be checked whole. The specification's form has none of them. */
export function missingIn(alert: HeldAlert): string[] {
  return needed.filter((field) => alert[field] === undefined)
}

export function isWhole(alert: HeldAlert): alert is WholeAlert {
  return missingIn(alert).length === 0
}
