import {
  type BundleVerification,
  type CheckId,
  checksumAddress,
  getBundleVersion,
  type OutcomeVerification,
  type ProofBundle,
  parseBundle,
  type Verification,
  verifyBundle,
} from '@tocsin/proof'
import { createLogSource } from './log-source.ts'
import type { AlertOptions } from './options.ts'
import { CannotCheck, type Outcome, ProofProblem, UsageProblem } from './outcome.ts'
import { createRpc, trackRpcProblem } from './rpc.ts'
import { describeUnpinned, isPinned, resolveTrust, type Trust, unpinnedNote } from './trust.ts'

const titles: Record<CheckId, string> = {
  payload: 'Content',
  signature: 'Signature',
  merklePath: 'Merkle path',
  root: 'Root',
  transaction: 'Transaction',
  blockTime: 'Block time',
}

/** Runs the six checks of one alert. */
export async function checkAlert(value: Record<string, unknown>, options: AlertOptions): Promise<Outcome> {
  const { bundle, trust } = await readBundle(value, options)
  const node = trackRpcProblem(createRpc(trust.rpcUrl, options), trust.domain.chainId)
  const { firstSigner, domain } = trust
  const verification = await verifyBundle(bundle, { trust: { firstSigner, domain }, rpc: node.rpc })
  return presentOutcome(bundle, verification, trust, { problem: node.problem(), isPinned: isPinned(options) })
}

async function readBundle(
  value: Record<string, unknown>,
  options: AlertOptions,
): Promise<{ bundle: ProofBundle; trust: Trust }> {
  const { serverUrl, pins } = options
  if ('format' in value) {
    if (serverUrl) throw new UsageProblem('A proof bundle brings its key list: leave out --url')
    const bundle = readWithErrorsOf('file', () => parseBundle(value))
    const { anchor, firstSigner } = bundle
    return { bundle, trust: readWithErrorsOf('file', () => resolveTrust(pins, { ...anchor, firstSigner }, 'bundle')) }
  }
  if (!serverUrl) {
    throw new UsageProblem(
      'This is not a proof bundle. To verify a single alert, give --url of a server that has the key list.',
    )
  }
  const server = createLogSource(serverUrl, options)
  const config = await server.readConfig()
  const trust = readWithErrorsOf('server', () => resolveTrust(pins, config, 'server'))
  const { chainId, rpcUrl } = config
  const keys = await server.readKeyEntries()
  const bundle = readWithErrorsOf('server', () => {
    const anchor = { chainId, contract: checksumAddress(config.contract), rpcUrl }
    const firstSigner = checksumAddress(config.firstSigner)
    return parseBundle({
      format: 'tocsin-proof',
      version: getBundleVersion(value),
      anchor,
      firstSigner,
      keys,
      alert: value,
    })
  })
  return { bundle, trust }
}

/**
 * Maps errors by source: a malformed file fails the verification, while a malformed server response
 * makes it impossible.
 */
export function readWithErrorsOf<T>(source: 'file' | 'server', read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof UsageProblem || !(error instanceof Error)) throw error
    if (source === 'file') throw new ProofProblem(error.message)
    throw new CannotCheck(`The log data of the server is malformed: ${error.message}`)
  }
}

function presentOutcome(
  bundle: ProofBundle,
  verification: BundleVerification,
  trust: Trust,
  { problem, isPinned }: { problem: string | null; isPinned: boolean },
): Outcome {
  const verdict = decideVerdict(verification.verdict, trust, isPinned)
  const { checks, failed, step, blockAt, outcomes } = verification
  const { logIndex, id, asset, priority } = bundle.alert
  const createdAt = formatValue(bundle.alert.createdAt)
  const failedCheck = checks.find(({ status }) => status === 'failed')
  const firstOpenCheck = checks.find(
    ({ status }) => status === 'unavailable' || status === 'pending' || status === 'unproven',
  )
  const reason = failedCheck?.reason ?? (verdict === 'unavailable' ? problem : null) ?? firstOpenCheck?.reason ?? null
  const conclusions: Record<typeof verdict, string> = {
    verified: `Issued at ${createdAt}, on the chain since ${blockAt}, unchanged.`,
    failed: `Step ${step} (${failed && titles[failed]}): ${reason}.`,
    'not-anchored': 'All possible checks succeeded, but the alert is not anchored yet. Try again in a minute.',
    unavailable: `${reason}.`,
    unpinned: describeUnpinned(trust.rpcUrl !== null),
    'time-not-proven':
      `It says that it was issued at ${createdAt}, but is on the chain only since ${blockAt}. ` +
      `Content, signature and place in the log are right.${isPinned ? '' : ` ${unpinnedNote}`}`,
  }
  return {
    verdict,
    subject: `Alert ${shortenValue(id)} (${shortenValue(asset)}, ${shortenValue(priority)}), entry ${shortenValue(logIndex)} of the log`,
    steps: checks.map((check) => ({ ...check, title: titles[check.id] })),
    failure: reason === null ? null : { step: failed, index: failed ? parseIndex(logIndex) : null, reason },
    trusted: trust.trusted,
    conclusion: conclusions[verdict],
    notes: outcomes.map(describeOutcome),
    facts: {
      alertId: formatValue(id),
      logIndex: parseIndex(logIndex),
      blockAt,
      outcomes: outcomes.length,
      outcomesVerified: countVerdicts(outcomes, 'verified'),
      outcomeTimesNotProven: countVerdicts(outcomes, 'time-not-proven'),
    },
  }
}

/**
 * Maps the verdict of a proof to that of the command. Returns `unpinned` in two cases: the proof is
 * valid but relies on values from the file or the server, or it cannot be checked because the user
 * has given no node.
 */
function decideVerdict(verdict: Verification['verdict'], { rpcUrl }: Trust, isPinned: boolean) {
  const lacksNode = verdict === 'unavailable' && rpcUrl === null
  return lacksNode || (verdict === 'verified' && !isPinned) ? 'unpinned' : verdict
}

/** Describes an outcome. Its verdict does not change the verdict of the alert. */
function describeOutcome({ index, verdict, reason, statement, blockAt }: OutcomeVerification): string {
  const timeText =
    verdict === 'time-not-proven' ? `: it says ${statement?.createdAt}, but is on the chain only since ${blockAt}` : ''
  return `Outcome, entry ${index}, ${outcomeLabels[verdict]}: ${reason}${timeText}.`
}

const outcomeLabels: Record<OutcomeVerification['verdict'], string> = {
  verified: 'checked',
  'time-not-proven': 'TIME OF OUTCOME NOT PROVEN',
  'not-anchored': 'NOT ANCHORED YET',
  unavailable: 'CANNOT CHECK NOW',
  failed: 'FAILED',
}

function countVerdicts(outcomes: readonly OutcomeVerification[], verdict: OutcomeVerification['verdict']): number {
  return outcomes.filter((outcome) => outcome.verdict === verdict).length
}

function parseIndex(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

/** Formats an untrusted field. Does not convert objects, because their own `toString` may throw. */
function formatValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Shortens an untrusted field for a message. */
function shortenValue(value: unknown): string {
  return formatValue(value).slice(0, 80)
}
