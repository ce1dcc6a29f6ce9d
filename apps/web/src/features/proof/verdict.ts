import { formatCount } from '../../ui/count.ts'
import type { LadderFailure, LadderRung } from '../../ui/identity/ladder-layout.ts'
import type { SealState } from '../../ui/identity/seal.tsx'
import { formatAnchorSentence } from '../alert/alert-texts.ts'
import { isComplete } from './complete-alert.ts'
import type { NodeUsage } from './proof-task.ts'
import { getRpcHost } from './rpc-url.ts'
import type { Step } from './step-names.ts'
import type { BrowserCheck, CheckedClaim, Findings } from './verify-claim.ts'

const failureSentences: Record<Step['id'], string> = {
  payload: 'The content differs from the log entry.',
  signature: 'The published key did not sign this content.',
  merklePath: 'The Merkle path does not lead to the anchored root.',
  root: 'This root is not on the chain.',
  transaction: 'The anchoring transaction did not succeed.',
  blockTime: 'The block’s time does not fit the alert.',
}

export const verdictTones = { seal: 'text-seal', critical: 'text-critical', plain: 'text-1' } as const

export type Verdict = { word: string; tone: keyof typeof verdictTones; seal: SealState; sentence: string }

/**
 * The verdict as text. "Cannot check now" is distinct from "Failed": it does not mean that the
 * alert is invalid.
 */
export function describeVerdict({ alert, findings, checker }: CheckedClaim): Verdict {
  switch (findings.verdict) {
    case 'verified':
      return {
        word: 'Verified',
        tone: 'seal',
        seal: 'anchored',
        sentence: formatAnchorSentence(alert.createdAt, findings.chainTime),
      }
    case 'time-not-proven':
      return {
        word: 'Time of issue not proven',
        tone: 'plain',
        seal: 'anchored',
        sentence: 'Everything else is valid, but the anchor came too late to prove when the alert was issued.',
      }
    case 'not-anchored':
      return {
        word: 'Not yet anchored',
        tone: 'plain',
        seal: 'signed',
        sentence: 'Content and signature are valid. The alert is not anchored on the chain yet.',
      }
    case 'unavailable':
      if (findings.steps[0]?.status === 'unavailable') return describeIncomplete(findings.steps[0].reason)
      if (isWithoutNode(checker)) return withoutNodeVerdict
      return {
        word: 'Cannot check now',
        tone: 'plain',
        seal: 'signed',
        sentence: `${describeUnavailable(checker)} All other checks succeeded; try again in a moment.`,
      }
    case 'failed':
      return {
        word: `Failed at step ${findings.failedStep ?? 1}`,
        tone: 'critical',
        seal: 'failed',
        sentence: `${describeFailure(findings)} Do not act on this copy.`,
      }
  }
}

/**
 * Verdict on an incomplete copy, which is not a failed check. The server's reason names the missing
 * fields.
 */
function describeIncomplete(reason: string): Verdict {
  return { word: 'Cannot check now', tone: 'plain', seal: 'unsigned', sentence: `${reason}.` }
}

/**
 * Verdict if no check failed, but keys and anchor could not be checked because there is no chain
 * node.
 */
const withoutNodeVerdict: Verdict = {
  word: 'Signed',
  tone: 'plain',
  seal: 'signed',
  sentence:
    'All checks that do not need the chain succeeded. Enter a node of the anchor chain to check the keys and the anchor.',
}

/** Whether this browser ran the check without a node of the chain. */
export const isWithoutNode = (by: CheckedClaim['checker']) => by.kind === 'browser' && by.nodeUsage.rpcUrl === ''

function describeUnavailable(by: CheckedClaim['checker']): string {
  return (by.kind === 'browser' && by.nodeUsage.problem) || 'The anchor chain did not respond.'
}

function describeFailure({ steps, failedStep }: Findings): string {
  const step = steps[(failedStep ?? 1) - 1]
  return step ? failureSentences[step.id] : 'The alert could not be verified.'
}

/** Describes who ran the check and which servers were queried. */
export function describeChecker(by: CheckedClaim['checker'], siteHost: string): string {
  if (by.kind === 'server') return 'Checked by this site’s server.'
  if (by.isRunning) return 'Recomputed in this browser. The chain is being queried.'
  return `Recomputed in this browser. ${describeChainRequests(by)} ${describeSiteRequests(by, siteHost)}`
}

function describeChainRequests({ nodeUsage: { requestCount, rpcUrl } }: BrowserCheck): string {
  if (rpcUrl === '') return 'The chain was not queried.'
  if (requestCount === 0) return 'No request to the chain was necessary.'
  return `Queried only ${getRpcHost(rpcUrl)}, ${requestCount} ${requestCount === 1 ? 'time' : 'times'}.`
}

/**
 * Describes requests to this site. If the chain node has the same host as this site (as in the
 * demo), the requests to the node count as requests to this site.
 */
function describeSiteRequests({ nodeUsage, keysFrom }: BrowserCheck, siteHost: string): string {
  if (nodeUsage.requestCount > 0 && getRpcHost(nodeUsage.rpcUrl) === siteHost) {
    return 'This site serves that node. Enter another node to be independent of this site.'
  }
  const noRequestsText = 'No request of the check went to this site’s server.'
  return keysFrom === 'file' ? noRequestsText : `${noRequestsText} The key lists had been fetched from it before.`
}

/** "The chain was queried through node.example. 594 ms.", or why it could not be queried. */
export function formatNodeUsage({ requestCount, rpcUrl, problem, tookMs }: NodeUsage): string {
  const requestsText =
    requestCount === 0 ? 'The chain was not queried.' : `The chain was queried through ${getRpcHost(rpcUrl)}.`
  return problem ?? `${requestsText} ${formatMilliseconds(tookMs)}.`
}

export const formatMilliseconds = (ms: number): string => `${formatCount(Math.max(1, ms))} ms`

/** "6 of 6", or "2 passed, 1 failed". */
export function countSteps(steps: readonly Step[]): string {
  const countByStatus = (status: Step['status']) => steps.filter((step) => step.status === status).length
  const failedCount = countByStatus('failed')
  return failedCount > 0
    ? `${countByStatus('passed')} passed, ${failedCount} failed`
    : `${countByStatus('passed')} of ${steps.length}`
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
export function createLadder({ alert, transaction, findings }: CheckedClaim): Ladder | null {
  const { failedStep, rungs, chainTime, blockNumber } = findings
  if (!isComplete(alert)) return null
  const failedStepId = failedStep === null ? null : findings.steps[failedStep - 1]?.id
  if (failedStepId === 'payload' || failedStepId === 'signature') return null
  const ladder: Ladder = {
    leaf: { hash: alert.leafHash, index: alert.logIndex },
    rungs,
    root: alert.root,
    treeSize: alert.treeSize,
    tx: transaction === '' ? null : transaction,
    block: chainTime === null ? null : { number: blockNumber, at: chainTime },
    anchored: findings.verdict === 'verified' || findings.verdict === 'time-not-proven',
  }
  if (failedStepId !== 'merklePath') return ladder
  const reachesRoot = rungs.length === alert.merklePath.length && alert.root !== null
  if (!reachesRoot) return null
  const recomputedRoot = rungs.at(-1)?.hash ?? alert.leafHash
  return { ...ladder, failedAt: { rung: 'root', recomputed: recomputedRoot, published: alert.root ?? '' } }
}
