import { z } from 'zod'
import { isoTime } from './primitives.ts'

/** The public face of the transparency log. Sizes and hashes say nothing of content, so all of it needs no login. */

const wholeNumber = z.number().int().nonnegative()
/** A number in a query; sizes may be beyond 2^32. */
const asked = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const askedLimit = z.coerce.number().int().min(1).max(1000).default(1000)

/** A root of the log that is in a transaction on the anchor chain. */
export const logAnchor = z.object({
  size: wholeNumber,
  root: z.string(),
  transactionHash: z.string(),
  blockNumber: wholeNumber,
  /** The block's time. */
  at: isoTime,
})
export type LogAnchor = z.infer<typeof logAnchor>

/** The log's newest state. */
export const logHead = z.object({ size: wholeNumber, root: z.string(), anchored: logAnchor.nullable() })
export type LogHead = z.infer<typeof logHead>

export const logConsistencyQuery = z.strictObject({ from: asked, to: asked })
export const logConsistency = z.object({ from: wholeNumber, to: wholeNumber, path: z.array(z.string()) })
export type LogConsistency = z.infer<typeof logConsistency>

export const logInclusionQuery = z.strictObject({ index: asked, size: asked })
/** `bytes` is the entry's canonical JSON text. */
export const logInclusion = z.object({
  index: wholeNumber,
  size: wholeNumber,
  leafHash: z.string(),
  merklePath: z.array(z.string()),
  bytes: z.string(),
  signature: z.string(),
})
export type LogInclusion = z.infer<typeof logInclusion>

export const logEntriesQuery = z.strictObject({ from: asked.default(0), limit: askedLimit })
/**
 * `size` is the log's. Content and signature are null if the caller may not read the alert: without a subscription while it is
 * younger than the public delay.
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

export const logAnchorsQuery = z.strictObject({ above: asked.default(0), limit: askedLimit })
export const logAnchors = z.object({ anchors: z.array(logAnchor) })
export type LogAnchors = z.infer<typeof logAnchors>

/** An entry with its path under the first anchor that covers it; empty and null until there is one. */
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

/** `stopped`: the log and what is anchored of it disagree, and nothing is added until an operator has looked. */
export const anchoringStates = ['current', 'delayed', 'stopped'] as const
export const anchoringState = z.enum(anchoringStates)

/** Measured from the tables. */
export const logStats = z.object({
  size: wholeNumber,
  entriesStored: wholeNumber,
  /** Indexes below the size that no entry has. */
  gaps: wholeNumber,
  /** Alerts, corrections and retractions whose content is public. */
  alerts: wholeNumber,
  corrections: wholeNumber,
  retractions: wholeNumber,
  keyLists: wholeNumber,
  /** Entries that say that the log was alive while nothing else was logged. */
  heartbeats: wholeNumber,
  /** 1 if the log has taken over from a former one. */
  successions: wholeNumber,
  anchors: wholeNumber,
  anchoredSize: wholeNumber,
  lastAnchoredAt: isoTime.nullable(),
  /** When the oldest entry was logged that no anchor covers yet. */
  oldestWaitingAt: isoTime.nullable(),
  state: anchoringState,
  /** Why, unless the state is current. */
  reason: z.string().nullable(),
  /** From being logged to the anchoring block's time, of the last 30 days' entries. */
  timeToAnchor: z.object({ medianMs: z.number().nullable(), p95Ms: z.number().nullable(), sample: wholeNumber }),
  firstEntryAt: isoTime.nullable(),
})
export type LogStats = z.infer<typeof logStats>
