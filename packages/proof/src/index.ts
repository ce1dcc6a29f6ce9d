export { type AlertStatement, decodeAlert, encodeAlert, parseAlert } from './alert.ts'
export {
  checkBlockTime,
  checkTransaction,
  maxAnchorDelayMs,
  maxClockDifferenceMs,
} from './anchor-checks.ts'
export { type AnchoredEvent, anchoredTopic, readAnchoredEvent } from './anchored-event.ts'
export { type BundledAlert, getBundleVersion, type ProofBundle, parseBundle } from './bundle.ts'
export {
  type Checkpoint,
  checkpointPublicKey,
  deriveCheckpointSeed,
  formatCheckpoint,
  parseCheckpoint,
  verifyCheckpoint,
} from './checkpoint.ts'
export { type AnchorEvidence, type AnchorEvidenceResult, listAnchoredEvents, readAnchorEvidence } from './evidence.ts'
export { isHash, isIndex } from './field-checks.ts'
export { decodeHeartbeat, encodeHeartbeat, type HeartbeatStatement } from './heartbeat.ts'
export { type Address, bytesToHex, checksumAddress, type Hex, hexToBytes } from './hex.ts'
export { formatQuantity, type Rpc, readBlockNumber, readChainId } from './json-rpc.ts'
export { assertNextKeyList, findKeyAt } from './key-list.ts'
export { decodeKeys, encodeKeys, type KeysStatement, parseKeys, type SigningKey } from './keys.ts'
export {
  createLogCheck,
  type DecodedEntry,
  type LogCheck,
  type LogCounts,
  type LogState,
  readEntry,
} from './log-check.ts'
export type { LogAnchor, LogEntry, NewestTime } from './log-entry.ts'
export { maxRecentEntries, type TargetProof, type UncheckedReference } from './log-targets.ts'
export { findUnprovenReason, type UnprovenTime, type UnprovenTimes } from './log-times.ts'
export { noteVerifierKey, signNote, verifyNote } from './note.ts'
export { decodeOutcome, encodeOutcome, type OutcomeStatement } from './outcome-entry.ts'
export type { Primitives } from './primitives.ts'
export {
  decodeReceipt,
  encodeReceipt,
  maxReceiptPayments,
  type ReceiptPayment,
  type ReceiptStatement,
} from './receipt.ts'
export { parseReceiptFile, type ReceiptFile } from './receipt-file.ts'
export {
  type AlertStatus,
  alertStatuses,
  type CountedStatus,
  countedStatuses,
  getStatus,
  getToleratedDelayMs,
  isCounted,
  isLate,
  type KnownPrediction,
} from './record/alert-status.ts'
export { type Calibration, type CalibrationBin, calibrate, listReferenceForecasts } from './record/calibration.ts'
export {
  type CandleComparison,
  type CandleSource,
  compareCandles,
  formatDay,
  getDaySpan,
} from './record/candle-source.ts'
export { type Candle, equalCandles, parseCandles, type Span } from './record/candles.ts'
export {
  type ControlRate,
  type ControlTask,
  findControlBlock,
  listControlTasks,
  measureControlRates,
} from './record/control-rates.ts'
export { drawControlMinutes, findLift, type Lift } from './record/controls.ts'
export { compareDecimals, formatResult, isDecimal, parseDecimal, parseThreshold } from './record/decimal.ts'
export { findDifference } from './record/difference.ts'
export { createEpisodeStartCheck } from './record/episodes.ts'
export { evaluateEntry, type KnownSignal, readSignal } from './record/evaluate-entry.ts'
export type { Figures, Rate } from './record/figures.ts'
export {
  type ClusteredRate,
  computeClusteredRate,
  type Interval,
  wilsonInterval,
} from './record/intervals.ts'
export {
  type CandleLists,
  computeWindow,
  evaluatePrediction,
  evaluateWitnessed,
  listMissingMinutes,
  type PredictionResult,
  parseCandleLists,
  type Verdict,
  type VoidReason,
} from './record/metrics.ts'
export {
  assertHorizonOver,
  type EvaluatedOutcome,
  evaluateOutcomeMessage,
  type PredictedSignal,
} from './record/outcome-message.ts'
export { evaluateOutcome, type OutcomeResult, type OutcomeTask } from './record/outcome-task.ts'
export { formatRate, formatShare } from './record/percent.ts'
export {
  computeHorizon,
  type Forecast,
  knownVenues,
  type Market,
  type Metric,
  type Model,
  type Prediction,
  parseForecast,
} from './record/prediction.ts'
export { getRecentStartMs, type RecentRecord, summarizeFrom } from './record/recent.ts'
export type { CountedAlert, RecordAlert, RecordOptions, RecordOutcome, RecordStatement } from './record/record-alert.ts'
export {
  type CalibratedKey,
  type RecordCalibration,
  type ResolvedCount,
  resolvedBeforeCalibration,
} from './record/record-calibration.ts'
export type { RecordAnchor, RecordEntry } from './record/record-entry.ts'
export { createRecordReader, readRecord } from './record/record-reader.ts'
export { readSignalMessage, type SignalMessage } from './record/signal-message.ts'
export {
  computeRecord,
  createRecordSummary,
  type PendingCounts,
  type PublicCounts,
  type RecordGroup,
  type RecordInput,
  type RecordSummary,
  type RecordTable,
  recomputeWithoutArchive,
  recordTables,
  summarizeRecord,
  type TrackRecord,
} from './record/track-record.ts'
export { hashSignal } from './signal.ts'
export { addressOfKey, recoverSigner, signDigest } from './signature.ts'
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
  computeInclusionSteps,
  type InclusionClaim,
  type InclusionStep,
  rootFromInclusion,
  verifyConsistency,
  verifyInclusion,
} from './tree-proof.ts'
export type { LogTrust } from './trusted-keys.ts'
export {
  alertTypedMessage,
  alertTypes,
  hashAlert,
  hashReceipt,
  hashStatement,
  heartbeatTypedMessage,
  keysTypedMessage,
  outcomeTypedMessage,
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
export { type BundleVerification, verifyBundle } from './verify-bundle.ts'
export {
  type KeyListFailure,
  type KeyListInput,
  readEntryEvidence,
  type TrustedKeys,
  verifyKeyList,
} from './verify-key-list.ts'
export type { OutcomeVerification } from './verify-outcomes.ts'
export {
  type ReceiptCheck,
  type ReceiptCheckId,
  type ReceiptTools,
  type ReceiptVerification,
  verifyReceipt,
} from './verify-receipt.ts'
