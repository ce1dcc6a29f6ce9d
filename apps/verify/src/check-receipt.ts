import {
  parseReceiptFile,
  type ReceiptCheckId,
  type ReceiptStatement,
  type ReceiptVerification,
  verifyReceipt,
} from '@tocsin/proof'
import { readWithErrorsOf } from './check-alert.ts'
import { type AlertOptions, parseHttpUrl } from './options.ts'
import { type Outcome, type TrustedValue, UsageProblem } from './outcome.ts'
import { createRpc, trackRpcProblem } from './rpc.ts'
import { describeUnpinned, isPinned, presentNode, resolveTrust } from './trust.ts'

const titles: Record<ReceiptCheckId, string> = { content: 'Content', signature: 'Signature', payment: 'Payment' }

export function isReceipt(value: Record<string, unknown>): boolean {
  return value.format === 'tocsin-receipt'
}

/** Runs the three checks of one receipt. */
export async function checkReceipt(value: Record<string, unknown>, options: AlertOptions): Promise<Outcome> {
  if (options.serverUrl) throw new UsageProblem('A receipt brings its key list: leave out --url')
  const file = readWithErrorsOf('file', () => parseReceiptFile(value))
  const { anchor, firstSigner } = file
  const trust = readWithErrorsOf('file', () => resolveTrust(options.pins, { ...anchor, firstSigner }, 'receipt'))
  const { paymentRpcUrl } = options
  const hintedUrl = file.paymentRpcUrl === null ? null : parseHttpUrl(file.paymentRpcUrl)
  const node = trackRpcProblem(createRpc(trust.rpcUrl, options), trust.domain.chainId)
  const verification = await verifyReceipt(file, {
    trust: { firstSigner: trust.firstSigner, domain: trust.domain },
    rpc: node.rpc,
    paymentRpc: createRpc(paymentRpcUrl, options),
  })
  return presentOutcome(verification, {
    trusted: [...trust.trusted, ...presentNode('paymentRpc', paymentRpcUrl, hintedUrl, 'receipt')],
    problem: node.problem(),
    isPinned: isPinned(options) && paymentRpcUrl !== null,
    isChainAsked: trust.rpcUrl !== null && paymentRpcUrl !== null,
  })
}

interface Context {
  trusted: TrustedValue[]
  problem: string | null
  isPinned: boolean
  /** True if the user gave a node for each of the two chains. */
  isChainAsked: boolean
}

function presentOutcome(
  verification: ReceiptVerification,
  { trusted, problem, isPinned, isChainAsked }: Context,
): Outcome {
  const lacksNode = verification.verdict === 'unavailable' && !isChainAsked
  const isUnpinned = lacksNode || (verification.verdict === 'verified' && !isPinned)
  const verdict = isUnpinned ? 'unpinned' : verification.verdict
  const { checks, failed, step, statement } = verification
  const failedCheck = checks.find(({ status }) => status === 'failed')
  const firstOpenCheck = checks.find(({ status }) => status === 'unavailable' || status === 'pending')
  const reason = failedCheck?.reason ?? (firstOpenCheck ? (problem ?? firstOpenCheck.reason) : null)
  const conclusions: Record<ReceiptVerification['verdict'] | 'unpinned', string> = {
    verified: statement ? describeReceipt(statement) : '',
    failed: `Step ${step} (${failed && titles[failed]}): ${reason}.`,
    unavailable: `${reason}.`,
    unpinned: describeUnpinned(isChainAsked),
  }
  return {
    verdict,
    subject: statement ? `Receipt of the plan ${statement.plan}, subscription ${statement.id}` : 'Receipt',
    steps: checks.map((check) => ({ ...check, title: titles[check.id] })),
    failure: reason === null ? null : { step: failed, index: null, reason },
    trusted,
    conclusion: conclusions[verdict],
    notes: [],
    facts: {
      subscriptionId: statement?.id ?? null,
      startsAt: statement?.startsAt ?? null,
      endsAt: statement?.endsAt ?? null,
    },
  }
}

function describeReceipt({ payments, token, startsAt, endsAt, issuedAt }: ReceiptStatement): string {
  const sumWei = payments.reduce((total, { amountWei }) => total + BigInt(amountWei), 0n)
  return `${sumWei} base units of ${token} paid for the time from ${startsAt} to ${endsAt}; stated at ${issuedAt}, unchanged.`
}
