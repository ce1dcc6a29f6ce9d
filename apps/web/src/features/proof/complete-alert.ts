import type { AlertCopy } from './claim.ts'

const requiredFields = ['origin', 'signalHash', 'signer', 'logIndex', 'leafHash', 'treeSize', 'root'] as const
type CompleteAlert = AlertCopy & { [field in (typeof requiredFields)[number]]: Exclude<AlertCopy[field], undefined> }

/**
 * Names of the fields that are required for a full check and missing. The specified minimal form
 * has none of them.
 */
export function missingFields(alert: AlertCopy): string[] {
  return requiredFields.filter((field) => alert[field] === undefined)
}

export function isComplete(alert: AlertCopy): alert is CompleteAlert {
  return missingFields(alert).length === 0
}
