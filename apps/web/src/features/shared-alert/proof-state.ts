import { getRpcHost } from '../proof/rpc-url.ts'
import { countSteps, describeVerdict, verdictTones } from '../proof/verdict.ts'
import type { CheckedClaim } from '../proof/verify-claim.ts'
import { type ProofState, uncheckedProof } from './alert-view.tsx'

interface CheckState {
  checked: CheckedClaim | null
  busy: boolean
  /** Why the check could not run. */
  failure: string | null
}

/**
 * Describes the check in this browser. The text never says "Verified" before the six checks are
 * done. It names the chain node, and says whether this site serves the node.
 */
export function describeProof({ checked, busy, failure }: CheckState, siteHost: string): ProofState {
  if (checked?.checker.kind === 'browser' && !checked.checker.isRunning) {
    const { word, tone, seal, sentence } = describeVerdict(checked)
    const { nodeUsage } = checked.checker
    const node = formatNodeName(getRpcHost(nodeUsage.rpcUrl), siteHost)
    const proofText = `signed and unchanged, in your browser against ${node}, ${countSteps(checked.findings.steps)} checks in ${formatSeconds(nodeUsage.tookMs)}`
    return { word, tone: verdictTones[tone], seal, sentence: tone === 'seal' ? `${proofText}. ${sentence}.` : sentence }
  }
  if (failure !== null) return { ...uncheckedProof, word: 'Cannot check now', sentence: failure }
  if (!busy) return uncheckedProof
  return { ...uncheckedProof, word: 'Checking…', sentence: 'Your browser runs six checks.' }
}

function formatNodeName(host: string, siteHost: string): string {
  return host === siteHost ? 'this site’s own node' : host
}

/** "0.4 s". */
function formatSeconds(ms: number): string {
  return `${Math.max(0.1, ms / 1000).toFixed(1)} s`
}
