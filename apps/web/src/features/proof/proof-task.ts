import type {
  Address,
  AnchorEvidence,
  ProofBundle,
  ProofDomain,
  ReceiptFile,
  ReceiptVerification,
  Verification,
} from '@tocsin/proof'
import type { LogAnchor, LogConsistency, LogKeys } from '@tocsin/protocol'

/** What a check takes for granted: everything else follows from these three, or is refuted by them. */
export interface Trust {
  /** The key that signed the log's first key list. */
  firstSigner: Address
  /** Chain and contract of the anchors. */
  domain: ProofDomain
}

/** What the worker is asked to do. All it needs is in here; the one thing that it fetches is the chain's word. */
export type ProofTask =
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
  | { kind: 'checkLog'; log: HeldLog; trust: Trust; rpcUrl: string }

/** The log as the server shows it now, and as this browser saw it last. */
export interface HeldLog {
  origin: string
  note: string
  keys: LogKeys['entries']
  /** The note that was kept from the last visit; null on the first. */
  seenNote: string | null
  /** From the kept note's size to the present one's. */
  sinceSeen: LogConsistency | null
  /** The newest anchor that the present note covers, and the way from there. */
  anchor: LogAnchor | null
  sinceAnchor: LogConsistency | null
}

/** How the chain was asked. */
export interface Asked {
  rpcUrl: string
  requests: number
  /** Why it could not be asked; null where it answered. */
  problem: string | null
  tookMs: number
}

export interface BundleChecked {
  verification: Verification
  anchor: AnchorEvidence | null
  asked: Asked
}

export const logStepIds = ['keys', 'note', 'seen', 'anchor'] as const
export interface LogStep {
  id: (typeof logStepIds)[number]
  status: 'passed' | 'failed' | 'pending' | 'unavailable'
  reason: string
}

export interface LogChecked {
  steps: LogStep[]
  /** The size and root that the present note states, once its signature is good. */
  checkpoint: { size: number; root: string } | null
  asked: Asked
}

export interface TaskAnswers {
  verify: BundleChecked
  /** Content, signature, key lists and path; what only the chain can say stays open. */
  verifyOffline: Verification
  verifyReceipt: ReceiptVerification
  checkLog: LogChecked
}

/** Between page and worker. `progress` is the part of the answer that needs no chain. */
export type WorkerRequest = { id: number; task: ProofTask }
export type WorkerReply =
  | { id: number; kind: 'progress' | 'done'; answer: TaskAnswers[keyof TaskAnswers] }
  | { id: number; kind: 'failed'; reason: string }
