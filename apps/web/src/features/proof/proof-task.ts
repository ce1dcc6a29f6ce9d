import type {
  AnchorEvidence,
  BundleVerification,
  Figures,
  LogTrust,
  ProofBundle,
  ReceiptFile,
  ReceiptVerification,
  Verification,
} from '@tocsin/proof'
import type { LogAnchor, LogConsistency, LogEntries, LogKeys, ResponseOf, TrackRecordResponse } from '@tocsin/protocol'

type RecordAlertItem = ResponseOf<'trackRecordAlerts'>['items'][number]

/** Trust anchors of a check. Everything else is verified against these. */
export type Trust = LogTrust

/**
 * A task of the worker, with all data it needs. The worker makes no requests except to the chain
 * nodes.
 */
export type ProofTask =
  /** If `rpcUrl` is empty, the chain is not read. Checks that need it are then "unavailable". */
  | { kind: 'verify'; bundles: readonly ProofBundle[]; trust: Trust; rpcUrl: string }
  | { kind: 'verifyOffline'; bundle: ProofBundle; trust: Trust }
  | {
      kind: 'verifyReceipt'
      file: ReceiptFile
      trust: Trust
      rpcUrl: string
      paymentRpcUrl: string
      paymentChainId: number
    }
  | { kind: 'checkLog'; log: LogSnapshot; trust: Trust; rpcUrl: string }
  /** If `rpcUrl` is empty, the chain is not read. */
  | { kind: 'recomputeRecord'; record: RecordSnapshot; trust: Trust; rpcUrl: string }

/** The log's current state and the last state seen by this browser. */
export interface LogSnapshot {
  origin: string
  note: string
  keys: LogKeys['entries']
  /** The checkpoint note stored at the last visit; null on the first. */
  seenNote: string | null
  /** Consistency proof from the stored note to the current one. */
  seenConsistencyProof: LogConsistency | null
  /** The newest anchor that the current note covers. */
  anchor: LogAnchor | null
  /** Consistency proof from the anchor to the current note. */
  anchorConsistencyProof: LogConsistency | null
}

/** The last 30 days of the track record, as served by this site. */
export interface RecordSnapshot {
  siteRecord: NonNullable<TrackRecordResponse['record']>
  /** The alerts of the record from `siteRecord.recent.fromIndex` on. */
  alerts: RecordAlertItem[]
  keys: LogKeys['entries']
  /**
   * Anchors from 2,000 entries before `fromIndex` (`anchorLookbackEntries`) up to the record's
   * anchor (`asOf`). The anchors before `fromIndex` are needed because their block hashes can
   * select the control minutes.
   */
  anchors: LogAnchor[]
  /**
   * Candles as JSON text, for each day and market that the prediction of a counted alert is about.
   */
  days: { venue: string; market: string; day: string; candles: string }[]
  /** Entries from `fromIndex` up to the record's anchor (`asOf`). */
  entries: LogEntries['entries']
  messages: { index: number; message: string }[]
  /** Merkle path of the first entry of `entries` in the tree of the record's anchor (`asOf`). */
  inclusionPath: string[]
}

export interface RecomputeResult {
  /** Names the first figure that differs from the site's record. Null if all are equal. */
  difference: string | null
  entryCount: number
  outcomeCount: number
  /** Null if the entries do not belong to the anchored log. */
  figures: Pick<Figures, 'strict' | 'interval' | 'timesNotProven' | 'baseRate' | 'lift'> | null
  /** Sentences that say what the recomputation could not verify. */
  unchecked: string[]
  nodeUsage: NodeUsage
}

/** Requests that a check sent to the chain node. */
export interface NodeUsage {
  rpcUrl: string
  requestCount: number
  /** Why requests failed; null if all succeeded. */
  problem: string | null
  tookMs: number
}

export interface BundleCheckResult {
  verification: BundleVerification
  anchor: AnchorEvidence | null
  nodeUsage: NodeUsage
}

export const logStepIds = ['keys', 'note', 'seen', 'anchor'] as const
export interface LogStep {
  id: (typeof logStepIds)[number]
  status: 'passed' | 'failed' | 'pending' | 'unavailable'
  reason: string
}

export interface LogCheckResult {
  steps: LogStep[]
  /** Size of the current note; null if its signature is invalid. */
  checkpoint: { size: number } | null
  nodeUsage: NodeUsage
}

export interface TaskResults {
  verify: BundleCheckResult
  /**
   * Results of the checks of content, signature, key lists and path. The checks that need the chain
   * are "unavailable".
   */
  verifyOffline: Verification
  verifyReceipt: ReceiptVerification
  checkLog: LogCheckResult
  recomputeRecord: RecomputeResult
}

/**
 * Messages between page and worker. A `progress` reply contains the results of the checks that need
 * no chain.
 */
export type WorkerRequest = { id: number; task: ProofTask }
export type WorkerReply =
  | { id: number; kind: 'progress' | 'done'; result: TaskResults[keyof TaskResults] }
  | { id: number; kind: 'failed'; reason: string }
