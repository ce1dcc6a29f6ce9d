import { textToBytes } from './canonical-json.ts'
import { type CheckResult, createFailedResult, createPassedResult, skippedResult } from './check-result.ts'
import { bytesToHex } from './hex.ts'
import { cacheResponses, type Rpc } from './json-rpc.ts'
import { describeWindow, findKeyAt } from './key-list.ts'
import { decodeReceipt, type ReceiptPayment, type ReceiptStatement } from './receipt.ts'
import type { ReceiptFile } from './receipt-file.ts'
import { recoverSigner } from './signature.ts'
import { readTransferEvidence, type TransferResult } from './transfer-evidence.ts'
import { hashLeaf } from './tree.ts'
import { type LogTrust, readTrustedKeys } from './trusted-keys.ts'
import { hashReceipt } from './typed-data.ts'
import { getErrorMessage, shortenAddress, shortenHash } from './words.ts'

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

export interface ReceiptTools {
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
export async function verifyReceipt(file: ReceiptFile, tools: ReceiptTools): Promise<ReceiptVerification> {
  let statement: ReceiptStatement
  try {
    statement = decodeReceipt(textToBytes(file.bytes))
  } catch (error) {
    return createVerification(null, [createFailedResult(getErrorMessage(error))])
  }
  const content = createPassedResult(
    `The content hashes to ${shortenHash(bytesToHex(hashLeaf(textToBytes(file.bytes))))}`,
  )
  const signature = await checkSignature(file, statement, tools)
  const payment =
    signature.status === 'failed' ? skippedResult : await checkPayments(statement, cacheResponses(tools.paymentRpc))
  return createVerification(statement, [content, signature, payment])
}

function createVerification(statement: ReceiptStatement | null, results: readonly CheckResult[]): ReceiptVerification {
  const checks = checkIds.map((id, index): ReceiptCheck => ({ id, ...(results[index] ?? skippedResult) }))
  const failedCheck = checks.find(({ status }) => status === 'failed')?.id ?? null
  const hasUnavailableCheck = checks.some(({ status }) => status === 'unavailable' || status === 'pending')
  return {
    verdict: failedCheck ? 'failed' : hasUnavailableCheck ? 'unavailable' : 'verified',
    failed: failedCheck,
    step: failedCheck && checkIds.indexOf(failedCheck) + 1,
    checks,
    statement,
  }
}

async function checkSignature(file: ReceiptFile, receipt: ReceiptStatement, tools: ReceiptTools): Promise<CheckResult> {
  const recoveredSigner = recoverSigner(hashReceipt(tools.trust.domain, receipt), file.signature)
  if (!recoveredSigner) return createFailedResult('The signature is malformed')
  const name = shortenAddress(recoveredSigner)
  if (recoveredSigner !== receipt.signer) {
    return createFailedResult(`The signature leads to ${name}, the receipt says ${shortenAddress(receipt.signer)}`)
  }
  const trustedKeys = await readTrustedKeys(cacheResponses(tools.rpc), file, tools.trust)
  if ('failure' in trustedKeys) return createFailedResult(trustedKeys.failure)
  const key = trustedKeys.keys.find(({ address }) => address === recoveredSigner)
  if (!key) return createFailedResult(`Signer ${name} is not a published key`)
  if (findKeyAt(trustedKeys.keys, receipt.logSize) !== key) {
    const sizeText = `when the log had ${receipt.logSize} entries`
    return createFailedResult(`Signer ${name} signs ${describeWindow(key)}, not ${sizeText}`)
  }
  const isUncertain = [...trustedKeys.unavailable, ...trustedKeys.pending].some((index) => index < receipt.logSize)
  if (isUncertain) return { status: 'unavailable', reason: 'The anchors of the key lists could not be checked' }
  return createPassedResult(`Signer ${name} is the published key for ${describeWindow(key)}`)
}

async function checkPayments(receipt: ReceiptStatement, rpc: Rpc): Promise<CheckResult> {
  const results: CheckResult[] = []
  for (const payment of receipt.payments) {
    const result = evaluatePayment(payment, receipt, await readTransferEvidence(rpc, receipt.chainId, payment))
    // A failed check is reported even if an earlier payment could not be checked.
    if (result.status === 'failed') return result
    results.push(result)
  }
  const firstNotPassed = results.find(({ status }) => status !== 'passed')
  return firstNotPassed ?? createPassedResult(results.map(({ reason }) => reason).join('; '))
}

function evaluatePayment(payment: ReceiptPayment, receipt: ReceiptStatement, evidence: TransferResult): CheckResult {
  if (evidence === 'unavailable') {
    return { status: 'unavailable', reason: `The payment chain ${receipt.chainId} could not be reached` }
  }
  const name = `transaction ${shortenHash(payment.transactionHash)}`
  if (!evidence)
    return createFailedResult(
      `Chain ${receipt.chainId} has no such transfer at log index ${payment.logIndex} of ${name}`,
    )
  if (evidence.status !== 'success') return createFailedResult(`The ${name} was reverted`)
  const claims: [string, string, string][] = [
    ['of the token', evidence.token, receipt.token.toLowerCase()],
    ['from', evidence.payer, payment.payer.toLowerCase()],
    ['to', evidence.recipient, receipt.treasury.toLowerCase()],
    ['of the amount', evidence.amountWei.toString(), payment.amountWei],
  ]
  const mismatch = claims.find(([, chainValue, claimed]) => chainValue !== claimed)
  if (mismatch)
    return createFailedResult(
      `The ${name} holds a transfer ${mismatch[0]} ${mismatch[1]}, the receipt says ${mismatch[2]}`,
    )
  const { blockNumber, confirmations } = evidence
  return createPassedResult(
    `The ${name} in block ${blockNumber} moved the stated amount to the treasury, with ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
  )
}
