import type { AlertCopy } from './claim.ts'

const requiredFields = ['origin', 'signalHash', 'signer', 'logIndex', 'leafHash', 'treeSize', 'root'] as const
type CompleteAlert = AlertCopy & { [field in (typeof requiredFields)[number]]: Exclude<AlertCopy[field], undefined> }

/**
 * Names of the missing fields that a full check requires. The minimal form of an alert in the
 * specification has none of these fields.
 */
export function listMissingFields(alert: AlertCopy): string[] {
  return requiredFields.filter((field) => alert[field] === undefined)
}

export function isComplete(alert: AlertCopy): alert is CompleteAlert {
  return listMissingFields(alert).length === 0
}
