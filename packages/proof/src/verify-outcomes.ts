import type { CheckResult } from './check-result.ts'
import type { AnchorEvidenceResult } from './evidence.ts'
import { describeWindow, findKeyAt } from './key-list.ts'
import { decodeOutcome, type OutcomeStatement } from './outcome-entry.ts'
import type { SignedEntry } from './signed-entry.ts'
import type { ProofDomain } from './typed-data.ts'
import type { ClaimedAlert } from './verify.ts'
import type { TrustedKeys } from './verify-key-list.ts'
import { checkAnchoring, type EntryKind, readSignedStatement } from './verify-signed-entry.ts'
import { getErrorMessage, shortenAddress } from './words.ts'

/** The check of one outcome entry in a bundle. It does not change the verdict on the alert. */
export interface OutcomeVerification {
  /** The log index that the bundle states. */
  index: number
  /** `time-not-proven`: otherwise valid, but the anchor came too late to prove the stated time. */
  verdict: 'verified' | 'time-not-proven' | 'not-anchored' | 'unavailable' | 'failed'
  reason: string
  /** Null if failed. */
  statement: OutcomeStatement | null
  /** Time of the anchoring block, if the outcome is anchored on the chain. */
  blockAt: string | null
}

export interface OutcomesInput {
  domain: ProofDomain
  alert: ClaimedAlert
  /** The keys of the log, or the problem with its key lists. */
  trusted: TrustedKeys | { failure: string }
  entries: readonly SignedEntry[]
  /** Evidence for each entry, in the same order. */
  evidence: readonly AnchorEvidenceResult[]
}

const kind: EntryKind<OutcomeStatement> = { name: 'outcome', noun: 'outcome', decode: decodeOutcome }

/**
 * Checks content, signature, target and anchor of each outcome. Never throws. Does not check the
 * candles, because they are in the outcome message, not in the entry.
 */
export function verifyOutcomes(input: OutcomesInput): OutcomeVerification[] {
  return input.entries.map((entry, at) => {
    const { index } = entry
    const evidence = input.evidence[at] ?? null
    try {
      const statement = readSignedStatement(entry, input.domain, kind)
      assertTarget(statement, input.alert)
      const status = findWorstStatus(
        assertSigner(statement, entry, input.trusted),
        checkAnchoring(entry, statement.createdAt, input.domain, evidence, kind),
      )
      const isAnchored = status === 'passed' || status === 'unproven'
      const blockAt = isAnchored && evidence !== null && evidence !== 'unavailable' ? evidence.blockAt : null
      return { index, ...verdictByStatus[status], statement, blockAt }
    } catch (error) {
      return { index, verdict: 'failed', reason: getErrorMessage(error), statement: null, blockAt: null }
    }
  })
}

type Status = 'passed' | 'unproven' | 'pending' | 'unavailable'

const verdictByStatus: Record<Status, Pick<OutcomeVerification, 'verdict' | 'reason'>> = {
  passed: { verdict: 'verified', reason: 'The log states this outcome, and the chain holds it' },
  unproven: {
    verdict: 'time-not-proven',
    reason: 'The log states this outcome, but its anchor came too late to prove the stated time',
  },
  pending: { verdict: 'not-anchored', reason: 'The outcome is not anchored yet' },
  unavailable: { verdict: 'unavailable', reason: 'The anchor chain could not be reached' },
}

/**
 * Returns the worst status. `failed` and `skipped` do not occur: failed checks throw, and no check
 * is skipped.
 */
function findWorstStatus(...statuses: CheckResult['status'][]): Status {
  const order = ['unavailable', 'pending', 'unproven'] as const
  return order.find((status) => statuses.includes(status)) ?? 'passed'
}

function assertTarget({ targetIndex, targetLeafHash, origin, index }: OutcomeStatement, alert: ClaimedAlert): void {
  const { kind = 'alert' } = alert
  const isOfAlert =
    targetIndex === alert.index && targetLeafHash === alert.leafHash && origin === alert.origin && kind === 'alert'
  if (!isOfAlert) throw new Error(`The outcome of entry ${index} is not about this alert`)
}

/** @throws Error if the key that signed is not valid at the outcome's index */
function assertSigner(
  { index, signer }: OutcomeStatement,
  { avalancheTx }: SignedEntry,
  trusted: OutcomesInput['trusted'],
): Status {
  if ('failure' in trusted) throw new Error(trusted.failure)
  const name = shortenAddress(signer)
  const key = trusted.keys.find(({ address }) => address === signer)
  if (!key) throw new Error(`The outcome of entry ${index} is signed by ${name}, which is not a published key`)
  if (findKeyAt(trusted.keys, index) !== key) {
    throw new Error(`Signer ${name} signs ${describeWindow(key)}, the outcome is entry ${index}`)
  }
  const isBefore = (list: number) => list < index
  const pendingList = trusted.pending.find(isBefore)
  if (pendingList !== undefined && avalancheTx !== null) {
    throw new Error(`The key list of entry ${pendingList} is not anchored, though the outcome after it is`)
  }
  return trusted.unavailable.some(isBefore) ? 'unavailable' : 'passed'
}
