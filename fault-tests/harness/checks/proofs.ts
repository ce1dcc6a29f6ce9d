import { createLogCheck } from '@tocsin/proof'
import type { Evidence } from '../evidence.ts'

/**
 * Runs the same log check as all verifiers over the whole log: sequence, statements, leaf hashes,
 * signatures, keys, and the root of each anchor. The anchors must prove each stated time.
 */
export function checkProofs({ signedLog }: Pick<Evidence, 'signedLog'>): string[] {
  const { entries, domain, firstSigner } = signedLog
  const logCheck = createLogCheck({ domain, firstSigner })
  const anchors = new Map(signedLog.anchors.map((anchor) => [anchor.size, anchor]))
  for (const entry of entries) {
    logCheck.add(entry)
    const anchor = anchors.get(logCheck.size)
    if (anchor) logCheck.checkAnchor(anchor)
  }
  if (logCheck.failure !== null) return [logCheck.failure]
  const unprovenEntries = [logCheck.unprovenTimes, logCheck.unprovenOutcomes, logCheck.unprovenOthers].flatMap(
    (times) => times.unproven,
  )
  return [
    ...unprovenEntries.map(({ index, reason }) => `The time of entry ${index} is not proven (${reason})`),
    // The log check remembers only 4,096 entries, which suffices because outcomes follow their
    // alerts within seconds.
    ...logCheck.openTargets.map(({ targetIndex }) => `Entry ${targetIndex} is too far before the entry that names it`),
  ]
}
