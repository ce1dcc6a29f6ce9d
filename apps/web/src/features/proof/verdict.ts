import type { VerifyAlertResponse } from '@tocsin/protocol'
import { proofWordsTexts } from '../../texts/proof-words.ts'
import type { LadderFailure, LadderRung } from '../../ui/identity/ladder-layout.ts'
import type { SealState } from '../../ui/identity/seal.tsx'
import { anchorSentence } from '../alerts/alert-words.ts'
import { isComplete } from './complete-alert.ts'
import { rpcHost } from './rpc-url.ts'
import type { ByBrowser, Checked, Findings } from './verify-claim.ts'

const texts = proofWordsTexts.verdict

type Step = VerifyAlertResponse['steps'][number]

const failures: Record<Step['id'], string> = {
  payload: texts.contentIsAnother,
  signature: texts.publishedKeyDidNotSign,
  merklePath: texts.merklePathDoesNotLead,
  root: texts.chainDoesNotHold,
  transaction: texts.anchoringTransactionDid,
  blockTime: texts.blocksTimeDoesNotFit,
}

export type Verdict = { word: string; tone: 'seal' | 'critical' | 'plain'; seal: SealState; sentence: string }

/**
 * The verdict as text. "Cannot check now" is distinct from "Failed": it does not mean that the
 * alert is invalid.
 */
export function describeVerdict({ alert, answer, by }: Checked): Verdict {
  switch (answer.verdict) {
    case 'verified':
      return {
        word: texts.verified,
        tone: 'seal',
        seal: 'anchored',
        sentence: anchorSentence(alert.createdAt, answer.chainTime),
      }
    case 'time-not-proven':
      return { word: texts.timeOfIssueNotProven, tone: 'plain', seal: 'anchored', sentence: texts.anchoredTooLate }
    case 'not-anchored':
      return {
        word: texts.notYetAnchored,
        tone: 'plain',
        seal: 'signed',
        sentence: texts.contentAndSignature,
      }
    case 'unavailable':
      if (answer.steps[0]?.status === 'unavailable') return describeIncomplete(answer.steps[0].reason)
      return {
        word: texts.cannotCheckNow,
        tone: 'plain',
        seal: 'signed',
        sentence: texts.whatCouldBeChecked({ silence: describeUnavailable(by) }),
      }
    case 'failed':
      return {
        word: texts.failedAtStep({ failedStep: answer.failedStep ?? 1 }),
        tone: 'critical',
        seal: 'failed',
        sentence: texts.doNotAct({ failure: failureSentence(answer) }),
      }
  }
}

/** An incomplete copy is not a failure. The server's reason names the missing fields. */
function describeIncomplete(reason: string): Verdict {
  return { word: texts.cannotCheckNow, tone: 'plain', seal: 'unsigned', sentence: `${reason}.` }
}

function describeUnavailable(by: Checked['by']): string {
  return (by.kind === 'browser' && by.asked.problem) || texts.anchorChainDidNotAnswer
}

function failureSentence({ steps, failedStep }: Findings): string {
  const step = steps[(failedStep ?? 1) - 1]
  return step ? failures[step.id] : texts.alertCouldNotBeVerified
}

/** Describes who ran the check and which servers were queried. */
export function describeChecker(by: Checked['by'], siteHost: string): string {
  if (by.kind === 'server') return texts.checkedByThisSitesServer
  if (by.isRunning) return texts.recomputedInThisBrowserNow
  return texts.recomputedInThisBrowser({ chain: describeChainRequests(by), site: describeSiteRequests(by, siteHost) })
}

function describeChainRequests({ asked: { requests, rpcUrl } }: ByBrowser): string {
  if (requests === 0) return texts.chainDid
  return texts.askedAloneTime({ rpcUrl: rpcHost(rpcUrl), requests })
}

/**
 * Describes requests to this site. A node on this site's own host (as in the demo) counts as this
 * site.
 */
function describeSiteRequests({ asked, keysFrom }: ByBrowser, siteHost: string): string {
  if (asked.requests > 0 && rpcHost(asked.rpcUrl) === siteHost) {
    return texts.thatNodeIsServed
  }
  const silence = texts.noRequestOfTheCheck
  return keysFrom === 'file' ? silence : texts.keyListsHadBeenFetched({ silence })
}

/** "6 of 6", or "2 passed, 1 failed". */
export function countSteps(steps: readonly Step[]): string {
  const count = (status: Step['status']) => steps.filter((step) => step.status === status).length
  const failed = count('failed')
  return failed > 0
    ? texts.passedFailed({ passed: count('passed'), failed })
    : texts.passedOf({ passed: count('passed'), all: steps.length })
}

export type Ladder = {
  leaf: { hash: string; index: number }
  rungs: readonly LadderRung[]
  root: string | null
  treeSize: number | null
  tx: string | null
  block: { number: number | null; at: string | null } | null
  anchored: boolean
  failedAt?: LadderFailure
}

/** The recomputed Merkle path. Null if the leaf is wrong or the path is invalid. */
export function ladderOf({ alert, transaction, answer }: Checked): Ladder | null {
  const { failedStep, rungs, chainTime, blockNumber } = answer
  if (!isComplete(alert)) return null
  const failed = failedStep === null ? null : answer.steps[failedStep - 1]?.id
  if (failed === 'payload' || failed === 'signature') return null
  const ladder: Ladder = {
    leaf: { hash: alert.leafHash, index: alert.logIndex },
    rungs,
    root: alert.root,
    treeSize: alert.treeSize,
    tx: transaction === '' ? null : transaction,
    block: chainTime === null ? null : { number: blockNumber, at: chainTime },
    anchored: answer.verdict === 'verified' || answer.verdict === 'time-not-proven',
  }
  if (failed !== 'merklePath') return ladder
  const leadsToTop = rungs.length === alert.merklePath.length && alert.root !== null
  if (!leadsToTop) return null
  const recomputed = rungs.at(-1)?.hash ?? alert.leafHash
  return { ...ladder, failedAt: { rung: 'root', recomputed, published: alert.root ?? '' } }
}
