export { type AlertStatement, decodeAlert, encodeAlert, parseAlert } from './alert.ts'
export { clockDifferenceMs, latestAnchorMs } from './anchor-checks.ts'
export { type AnchoredEvent, anchoredTopic, readAnchoredEvent } from './anchored-event.ts'
export { type BundledAlert, bundleVersion, type ProofBundle, parseBundle } from './bundle.ts'
export {
  type Checkpoint,
  checkpointPublicKey,
  checkpointSeed,
  formatCheckpoint,
  parseCheckpoint,
  verifyCheckpoint,
} from './checkpoint.ts'
export { type AnchorEvidence, type EvidenceAnswer, listAnchoredEvents, readAnchorEvidence } from './evidence.ts'
export { decodeHeartbeat, encodeHeartbeat, type HeartbeatStatement } from './heartbeat.ts'
export { type Address, bytesToHex, checksumAddress, type Hex, hexToBytes } from './hex.ts'
export { type Rpc, readBlockNumber, readChainId } from './json-rpc.ts'
export { assertNextKeyList, keyAt } from './key-list.ts'
export { decodeKeys, encodeKeys, type KeysStatement, parseKeys, type SigningKey } from './keys.ts'
export { createLogCheck, type LogCheck, type LogCounts, type LogState } from './log-check.ts'
export type { LogAnchor, LogEntry, NewestTime } from './log-entry.ts'
export type { OpenTarget, TargetProof } from './log-targets.ts'
export type { UnprovenTime } from './log-times.ts'
export { noteVerifierKey, signNote, verifyNote } from './note.ts'
export { decodeReceipt, encodeReceipt, type ReceiptPayment, type ReceiptStatement } from './receipt.ts'
export { parseReceiptFile, type ReceiptFile } from './receipt-file.ts'
export { hashSignal } from './signal.ts'
export { addressOfKey, type RecoverKey, recoverSigner, signDigest } from './signature.ts'
export { parseSignedEntry, type SignedEntry } from './signed-entry.ts'
export { decodeStatement, encodeStatement, isAlertStatement, type Statement } from './statement.ts'
export {
  decodeSuccession,
  encodeSuccession,
  type Predecessor,
  type SuccessionStatement,
  successionIndex,
} from './succession.ts'
export {
  appendLeaf,
  consistencyProof,
  consistencyProofNodeIds,
  emptyFrontier,
  type Frontier,
  frontierNodeIds,
  frontierRoot,
  hashLeaf,
  hashNode,
  inclusionProof,
  inclusionProofNodeIds,
  type NodeId,
  rootOfLeaves,
} from './tree.ts'
export {
  type ConsistencyClaim,
  climbInclusion,
  type InclusionClaim,
  type InclusionStep,
  rootFromInclusion,
  verifyConsistency,
  verifyInclusion,
} from './tree-proof.ts'
export {
  alertTypedMessage,
  alertTypes,
  hashAlert,
  hashReceipt,
  hashStatement,
  heartbeatTypedMessage,
  keysTypedMessage,
  type ProofDomain,
  receiptTypedMessage,
  saltedTypes,
  statementTypes,
  successionTypedMessage,
} from './typed-data.ts'
export {
  type Check,
  type CheckId,
  type ClaimedAlert,
  type SignedAlert,
  type Verification,
  type VerificationInput,
  verifyAlert,
} from './verify.ts'
export { verifyBundle } from './verify-bundle.ts'
export {
  type KeyListFailure,
  type KeyListInput,
  readKeyListEvidence,
  type TrustedKeys,
  verifyKeyList,
} from './verify-key-list.ts'
export {
  type ReceiptCheck,
  type ReceiptCheckId,
  type ReceiptTools,
  type ReceiptVerification,
  verifyReceipt,
} from './verify-receipt.ts'
