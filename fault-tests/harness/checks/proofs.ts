import { createLogCheck } from '@tocsin/proof'
import type { Evidence } from '../evidence.ts'

/**
 * Runs the log check that every verifier uses on the whole log: sequence, statements, leaf hashes,
 * signatures, keys, and the root of each anchor. The anchors must prove each stated time.
 */
export function checkProofs({ signedLog }: Pick<Evidence, 'signedLog'>): string[] {
  const { entries, domain, firstSigner } = signedLog
  const check = createLogCheck({ domain, firstSigner })
  const anchors = new Map(signedLog.anchors.map((anchor) => [anchor.size, anchor]))
  for (const entry of entries) {
    check.add(entry)
    const anchor = anchors.get(check.size)
    if (anchor) check.checkAnchor(anchor)
  }
  if (check.failure !== null) return [check.failure]
  const unproven = [check.unprovenTimes, check.unprovenOutcomes, check.unprovenOthers].flatMap(
    (times) => times.unproven,
  )
  return [
    ...unproven.map(({ index, why }) => `The time of entry ${index} is not proven (${why})`),
    // The log check remembers only 4,096 entries, which suffices because outcomes follow their
    // alerts within seconds.
    ...check.openTargets.map(({ targetIndex }) => `Entry ${targetIndex} is too far before the entry that names it`),
  ]
}
