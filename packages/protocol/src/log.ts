import { z } from 'zod'
import { isoTime } from './primitives.ts'

/**
 * Schemas of the public endpoints of the transparency log. The endpoints need no login, because
 * sizes and hashes reveal no content.
 */

const wholeNumber = z.number().int().nonnegative()
/** An integer in a query. Sizes may exceed 2^32. */
const queryInteger = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const queryLimit = z.coerce.number().int().min(1).max(1000).default(1000)

/** A root of the log that a transaction on the anchor chain recorded. */
export const logAnchor = z.object({
  size: wholeNumber,
  root: z.string(),
  transactionHash: z.string(),
  blockNumber: wholeNumber,
  blockHash: z.string(),
  /** Time of the block. */
  at: isoTime,
})
export type LogAnchor = z.infer<typeof logAnchor>

/** Current size, root and newest anchor of the log. */
export const logHead = z.object({ size: wholeNumber, root: z.string(), anchored: logAnchor.nullable() })
export type LogHead = z.infer<typeof logHead>

export const logConsistencyQuery = z.strictObject({ from: queryInteger, to: queryInteger })
export const logConsistency = z.object({ from: wholeNumber, to: wholeNumber, path: z.array(z.string()) })
export type LogConsistency = z.infer<typeof logConsistency>

export const logInclusionQuery = z.strictObject({ index: queryInteger, size: queryInteger })
/** `bytes` is the entry's canonical JSON. */
export const logInclusion = z.object({
  index: wholeNumber,
  size: wholeNumber,
  leafHash: z.string(),
  merklePath: z.array(z.string()),
  bytes: z.string(),
  signature: z.string(),
})

export const logEntriesQuery = z.strictObject({ from: queryInteger.default(0), limit: queryLimit })
/**
 * `size` is the size of the log. `bytes` and `signature` are null if the caller has no access to
 * the content: callers without a subscription get it when the alert is as old as the public delay.
 */
export const logEntries = z.object({
  size: wholeNumber,
  entries: z.array(
    z.object({
      index: wholeNumber,
      leafHash: z.string(),
      bytes: z.string().nullable(),
      signature: z.string().nullable(),
    }),
  ),
})
export type LogEntries = z.infer<typeof logEntries>

export const logAnchorsQuery = z.strictObject({ above: queryInteger.default(0), limit: queryLimit })
export const logAnchors = z.object({ anchors: z.array(logAnchor) })

/**
 * An entry with its inclusion proof in the first anchor that covers it. Until the entry is
 * anchored, the path is empty and the anchor fields are null.
 */
export const signedEntry = z.object({
  bytes: z.string(),
  signature: z.string(),
  leafHash: z.string(),
  index: wholeNumber,
  merklePath: z.array(z.string()),
  treeSize: wholeNumber.nullable(),
  root: z.string().nullable(),
  avalancheTx: z.string().nullable(),
})
export const logKeys = z.object({ entries: z.array(signedEntry) })
export type LogKeys = z.infer<typeof logKeys>

/** `stopped`: the log contradicts its anchors. Nothing is appended until an operator intervenes. */
export const anchoringStates = ['current', 'delayed', 'stopped'] as const
export const anchoringState = z.enum(anchoringStates)

/** Figures measured from the database. */
export const logStats = z.object({
  size: wholeNumber,
  entriesStored: wholeNumber,
  /** Number of log indexes below `size` whose entry is not stored. */
  gaps: wholeNumber,
  /** Alerts, corrections and retractions whose content is public. */
  alerts: wholeNumber,
  corrections: wholeNumber,
  retractions: wholeNumber,
  keyLists: wholeNumber,
  /** Number of entries that show that the log was running while nothing else was appended. */
  heartbeats: wholeNumber,
  /** 1 if the log is the successor of an earlier log. */
  successions: wholeNumber,
  /** Outcomes of alerts whose content is public. */
  outcomes: wholeNumber,
  anchors: wholeNumber,
  anchoredSize: wholeNumber,
  lastAnchoredAt: isoTime.nullable(),
  /** Time at which the oldest entry without an anchor was appended. */
  oldestWaitingAt: isoTime.nullable(),
  state: anchoringState,
  /** The reason, unless the state is `current`. */
  reason: z.string().nullable(),
  /** Time from append to the anchoring block, over the entries of the last 30 days. */
  timeToAnchor: z.object({ medianMs: z.number().nullable(), p95Ms: z.number().nullable(), sample: wholeNumber }),
  firstEntryAt: isoTime.nullable(),
})
export type LogStats = z.infer<typeof logStats>
