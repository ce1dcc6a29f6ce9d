import { textToBytes } from './canonical-json.ts'
import { type CheckResult, failedBecause, passed, skipped } from './check-result.ts'
import { bytesToHex } from './hex.ts'
import { cacheResponses, type Rpc } from './json-rpc.ts'
import { describeWindow, keyAt } from './key-list.ts'
import { decodeReceipt, type ReceiptPayment, type ReceiptStatement } from './receipt.ts'
import type { ReceiptFile } from './receipt-file.ts'
import { recoverSigner } from './signature.ts'
import { readTransferEvidence, type TransferResult } from './transfer-evidence.ts'
import { hashLeaf } from './tree.ts'
import { type LogTrust, readTrustedKeys } from './trusted-keys.ts'
import { hashReceipt } from './typed-data.ts'
import { errorMessage, shortAddress, shortHash } from './words.ts'

const checkIds = ['content', 'signature', 'payment'] as const
export type ReceiptCheckId = (typeof checkIds)[number]

export interface ReceiptCheck extends CheckResult {
  id: ReceiptCheckId
}

export interface ReceiptVerification {
  verdict: 'verified' | 'unavailable' | 'failed'
  failed: ReceiptCheckId | null
  /** 1-based number of the check that failed. */
  step: number | null
  /** All three checks, in order. */
  checks: ReceiptCheck[]
  /** The content of the receipt, or null if it could not be decoded. */
  statement: ReceiptStatement | null
}

export interface ReceiptActions {
  trust: LogTrust
  /** A node of the anchor chain. */
  rpc: Rpc
  /** A node of the payment chain. */
  paymentRpc: Rpc
}

/**
 * Verifies a receipt against the two chains: its content, that it was signed by the key that was
 * valid at the time, and that the payments exist on the payment chain. Never throws on a file from
 * parseReceiptFile.
 */
export async function verifyReceipt(file: ReceiptFile, dependencies: ReceiptActions): Promise<ReceiptVerification> {
  let statement: ReceiptStatement
  try {
    statement = decodeReceipt(textToBytes(file.bytes))
  } catch (error) {
    return conclude(null, [failedBecause(errorMessage(error))])
  }
  const content = passed(`The content hashes to ${shortHash(bytesToHex(hashLeaf(textToBytes(file.bytes))))}`)
  const signature = await checkSignature(file, statement, dependencies)
  const payment =
    signature.status === 'failed' ? skipped : await checkPayments(statement, cacheResponses(dependencies.paymentRpc))
  return conclude(statement, [content, signature, payment])
}

function conclude(statement: ReceiptStatement | null, results: readonly CheckResult[]): ReceiptVerification {
  const checks = checkIds.map((id, index): ReceiptCheck => ({ id, ...(results[index] ?? skipped) }))
  const failed = checks.find(({ status }) => status === 'failed')?.id ?? null
  const isUndecided = checks.some(({ status }) => status === 'unavailable' || status === 'pending')
  return {
    verdict: failed ? 'failed' : isUndecided ? 'unavailable' : 'verified',
    failed,
    step: failed && checkIds.indexOf(failed) + 1,
    checks,
    statement,
  }
}

async function checkSignature(
  file: ReceiptFile,
  receipt: ReceiptStatement,
  dependencies: ReceiptActions,
): Promise<CheckResult> {
  const recovered = recoverSigner(hashReceipt(dependencies.trust.domain, receipt), file.signature)
  if (!recovered) return failedBecause('The signature is malformed')
  const name = shortAddress(recovered)
  if (recovered !== receipt.signer) {
    return failedBecause(`The signature leads to ${name}, the receipt says ${shortAddress(receipt.signer)}`)
  }
  const verified = await readTrustedKeys(cacheResponses(dependencies.rpc), file, dependencies.trust)
  if ('failure' in verified) return failedBecause(verified.failure)
  const key = verified.keys.find(({ address }) => address === recovered)
  if (!key) return failedBecause(`Signer ${name} is not a published key`)
  if (keyAt(verified.keys, receipt.logSize) !== key) {
    const when = `when the log had ${receipt.logSize} entries`
    return failedBecause(`Signer ${name} signs ${describeWindow(key)}, not ${when}`)
  }
  const isUncertain = [...verified.unavailable, ...verified.pending].some((index) => index < receipt.logSize)
  if (isUncertain) return { status: 'unavailable', reason: 'The anchors of the key lists could not be checked' }
  return passed(`Signer ${name} is the published key for ${describeWindow(key)}`)
}

async function checkPayments(receipt: ReceiptStatement, rpc: Rpc): Promise<CheckResult> {
  const results: CheckResult[] = []
  for (const payment of receipt.payments) {
    const result = evaluatePayment(payment, receipt, await readTransferEvidence(rpc, receipt.chainId, payment))
    // An unavailable payment must not hide a failed one after it.
    if (result.status === 'failed') return result
    results.push(result)
  }
  const open = results.find(({ status }) => status !== 'passed')
  return open ?? passed(results.map(({ reason }) => reason).join('; '))
}

function evaluatePayment(payment: ReceiptPayment, receipt: ReceiptStatement, evidence: TransferResult): CheckResult {
  if (evidence === 'unavailable') {
    return { status: 'unavailable', reason: `Chain ${receipt.chainId}, where it was paid, could not be reached` }
  }
  const name = `transaction ${shortHash(payment.transactionHash)}`
  if (!evidence)
    return failedBecause(`Chain ${receipt.chainId} holds no such transfer as number ${payment.logIndex} of ${name}`)
  if (evidence.status !== 'success') return failedBecause(`The ${name} was reverted`)
  const claims: [string, string, string][] = [
    ['of the token', evidence.token, receipt.token.toLowerCase()],
    ['from', evidence.payer, payment.payer.toLowerCase()],
    ['to', evidence.recipient, receipt.treasury.toLowerCase()],
    ['of the amount', evidence.amountWei.toString(), payment.amountWei],
  ]
  const wrong = claims.find(([, held, claimed]) => held !== claimed)
  if (wrong) return failedBecause(`The ${name} holds a transfer ${wrong[0]} ${wrong[1]}, the receipt says ${wrong[2]}`)
  const { blockNumber, confirmations } = evidence
  return passed(
    `The ${name} in block ${blockNumber} moved it to the treasury, with ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
  )
}
