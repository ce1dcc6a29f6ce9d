import { z } from 'zod'
import { signedEntry } from './log.ts'
import { maxSignals } from './names.ts'
import { isPlainText } from './plain-text.ts'
import { alertOutcome, prediction, predictionModel } from './prediction.ts'
import { isoTime, priority } from './primitives.ts'

const createTextSchema = (max: number) => z.string().trim().max(max).refine(isPlainText, 'Not plain text')

const oneDecimalMessage = 'Use at most one decimal place, for example 94.2'

/**
 * Percent from 0 to 100 with at most one decimal place. `multipleOf` alone also accepts numbers
 * within the floating-point tolerance, such as 99.99999999999999, and these would be signed as
 * another number.
 */
export const confidence = z
  .number()
  .min(0)
  .max(100)
  .multipleOf(0.1, { error: oneDecimalMessage, abort: true })
  .refine((percent) => Math.round(percent * 10) / 10 === percent, oneDecimalMessage)

/**
 * Maximum length of a summary in characters. It is a constant, because zod does not expose a
 * schema's limits in the browser build.
 */
export const summaryMaxLength = 1_000

export const alertContent = {
  asset: createTextSchema(40).min(1),
  anomalyType: createTextSchema(80),
  confidence,
  regime: createTextSchema(80),
  summary: createTextSchema(summaryMaxLength).min(1),
  priority,
}

/**
 * An alert written by an admin. The three proof fields are accepted for old clients and ignored,
 * because the server creates the proof.
 */
export const createAlertRequest = z.strictObject({
  ...alertContent,
  anomalyType: alertContent.anomalyType.default(''),
  regime: alertContent.regime.default(''),
  /** If true, the alert is broadcast immediately. */
  broadcast: z.boolean().default(true),
  signature: z.unknown().optional(),
  merklePath: z.unknown().optional(),
  avalancheTx: z.unknown().optional(),
})

/** `reason` becomes the summary of the retraction. Its other content is copied from the alert. */
export const retractAlertRequest = z.strictObject({
  reason: alertContent.summary,
  broadcast: z.boolean().default(true),
})

export const origins = ['admin', 'feed', 'demo'] as const
/**
 * A correction restates an earlier alert in full. A retraction withdraws it, with the reason as its
 * summary.
 */
export const alertKinds = ['alert', 'correction', 'retraction'] as const

/** The fields of an alert that change when it is anchored, with its id and log index. */
export const alertProof = z.object({
  id: z.string(),
  logIndex: z.number().int().nonnegative(),
  merklePath: z.array(z.string()),
  treeSize: z.number().int().positive().nullable(),
  root: z.string().nullable(),
  avalancheTx: z.string().nullable(),
  /** Time of the anchoring block. */
  anchoredAt: isoTime.nullable(),
})
export type AlertProof = z.infer<typeof alertProof>

/**
 * A complete alert with its proof. Path, tree size, root and transaction are empty until the log is
 * anchored.
 */
export const alert = z.object({
  ...alertProof.shape,
  kind: z.enum(alertKinds),
  asset: z.string(),
  priority,
  summary: z.string(),
  confidence: z.number(),
  regime: z.string(),
  anomalyType: z.string(),
  createdAt: isoTime,
  origin: z.enum(origins),
  /** SHA-256 of the raw feed message. Null for alerts that did not come from the feed. */
  signalHash: z.string().nullable(),
  /**
   * Log index and leaf hash of the alert that this one corrects or retracts. Null for kind `alert`.
   */
  targetIndex: z.number().int().nonnegative().nullable(),
  targetLeafHash: z.string().nullable(),
  /** 16 random bytes, in entries of version 2. Absent in version 1. */
  salt: z.string().optional(),
  /** Address of the signing key, which is also its key id. */
  signer: z.string(),
  signature: z.string(),
  leafHash: z.string(),
  /**
   * The newest correction or retraction of this alert that is visible to the caller. Null if the
   * caller sees no correction or retraction.
   */
  supersededBy: z
    .object({
      logIndex: z.number().int().nonnegative(),
      id: z.string(),
      kind: z.enum(['correction', 'retraction']),
    })
    .nullable(),
  /** Prediction and model of the signal message. Absent if the signal has no prediction. */
  prediction: prediction.optional(),
  model: predictionModel.optional(),
  /** The outcome that counts for the prediction. Absent until it is logged. */
  outcome: alertOutcome.optional(),
  /**
   * Later outcomes, sorted by log index. The feed reports them if the exchange has revised its
   * candles. They do not count for the prediction.
   */
  laterOutcomes: z.array(alertOutcome).optional(),
})
export type Alert = z.infer<typeof alert>

/**
 * A fresh alert as shown to readers without a subscription. `id` identifies the row, not the alert:
 * the alert's id is part of the hashed log entry, so it is withheld with the content. The log index
 * is already public.
 */
export const lockedAlert = z.object({
  id: z.string(),
  locked: z.literal(true),
  priority,
  createdAt: isoTime,
  logIndex: z.number().int().nonnegative(),
})
export type LockedAlert = z.infer<typeof lockedAlert>
export const readableAlert = z.union([lockedAlert, alert])
export type ReadableAlert = z.infer<typeof readableAlert>

/**
 * Public summary of all alerts of the last 24 hours, including fresh ones: the fields of a locked
 * row. Corrections and retractions count as alerts, because the kind of a fresh entry is withheld.
 */
export const alertPulse = z.object({
  /**
   * Alerts from oldest to newest, at most one per three minutes: the one with the highest priority.
   * This is enough detail for a 24-hour chart.
   */
  items: z.array(lockedAlert.pick({ createdAt: true, priority: true })),
  /** Number of alerts per priority, including alerts that are not in `items`. */
  counts: z.record(priority, z.number().int().nonnegative()),
  /** End of the 24 hours, by the server's clock. */
  until: isoTime,
  /** Age in hours at which the content of an alert becomes public. */
  publicDelayHours: z.number(),
})

export const recentAlertsQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(10) })
/** `minPriority` selects alerts of this priority and higher ones. */
export const publicAlertsQuery = recentAlertsQuery.extend({ minPriority: priority.optional() })
/** `verified` is set if the page has verified the proofs of these alerts, and all were valid. */
export const markAlertsReadRequest = z.strictObject({
  ids: z.array(z.string().max(100)).min(1).max(1000),
  verified: z.literal(true).optional(),
})

/**
 * The feed message of an alert, byte for byte. Its SHA-256 is the alert's `signalHash`. Null if no
 * message is stored.
 */
export const signalMessage = z.object({ message: z.string().nullable() })

export const alertSignalsQuery = z.strictObject({
  /** Ids of alerts, separated by commas. */
  ids: z
    .string()
    .min(1)
    .max(maxSignals * 37)
    .refine((ids) => ids.split(',').length <= maxSignals, `Expected at most ${maxSignals} ids`),
})
/**
 * The messages of the alerts to which the caller has access. Messages beyond the size limit of the
 * response are left out; callers request these one at a time.
 */
export const signalMessages = z.object({ messages: z.array(signalMessage.extend({ id: z.string() })) })

/**
 * Everything needed to verify an alert, except a node of the anchor chain. Format:
 * docs/log-format.md, chapter 8.
 */
export const alertBundle = z.object({
  format: z.literal('tocsin-proof'),
  version: z.union([z.literal(1), z.literal(2)]),
  anchor: z.object({ chainId: z.number().int(), contract: z.string(), rpcUrl: z.string().nullable() }),
  firstSigner: z.string(),
  keys: z.array(signedEntry),
  alert,
  /** The alert's outcome entries, if it has any. */
  outcomes: z.array(signedEntry).optional(),
})

/** A log index in a path, in plain digits. */
export const byIndex = z.strictObject({
  index: z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, 'Not a log index')
    .transform(Number)
    .pipe(z.number().max(Number.MAX_SAFE_INTEGER)),
})

/**
 * The alert at a log index. `withheld`: the caller has no access yet, so only public fields are
 * included. `shared`: the token of the link gives access to the alert.
 */
export const alertAt = z.discriminatedUnion('access', [
  z.object({
    access: z.literal('withheld'),
    ...lockedAlert.pick({ priority: true, createdAt: true, logIndex: true }).shape,
    leafHash: z.string(),
    /** Time at which the content becomes public. */
    publicAt: isoTime,
  }),
  z.object({
    access: z.enum(['public', 'subscriber', 'shared']),
    publicAt: isoTime,
    bundle: alertBundle,
    /** The feed message, as in `signalMessage`. */
    message: z.string().nullable(),
    /** The message that the alert's outcome references. Null if the alert has no outcome. */
    outcomeMessage: z.string().nullable(),
  }),
])
export type AlertAt = z.infer<typeof alertAt>

/** The token is the fragment of a shared link. */
export const openSharedAlertRequest = z.strictObject({ token: z.string().max(200) })

/**
 * An alert's page has the path `/a/<logIndex>`. A link that gives access to the alert is
 * `/a/<logIndex>#<token>`. `token` is null if the alert is public, because the link then needs no
 * token.
 */
export const shareAlertResponse = z.object({
  logIndex: z.number().int().nonnegative(),
  token: z.string().nullable(),
  /** Time at which the token expires. */
  until: isoTime.nullable(),
})

/** An alert as an admin sees it. */
export const adminAlert = alert.extend({ broadcastAt: isoTime.nullable() })
export type AdminAlert = z.infer<typeof adminAlert>
export const createAlertResponse = z.object({ alert: adminAlert, broadcast: z.boolean() })

const proofHex = z.string().max(4096)

/**
 * A pasted alert. It is untrusted input, so only lengths are checked before verification. The
 * fields up to `createdAt` are required. The server fills in missing optional fields from the
 * stored alert with the same id, if the caller has access to that alert.
 */
export const pastedAlert = z.object({
  id: z.string().max(100),
  asset: z.string().max(200),
  priority: z.string().max(20),
  summary: z.string().max(4000),
  confidence: z.number(),
  regime: z.string().max(200),
  anomalyType: z.string().max(200),
  createdAt: z.string().max(40),
  origin: z.string().max(20).optional(),
  signalHash: proofHex.nullable().optional(),
  /**
   * The next three fields are missing in alerts that were copied before corrections existed. Such
   * alerts have the kind `alert`.
   */
  kind: z.string().max(20).optional(),
  targetIndex: z.number().nullable().optional(),
  targetLeafHash: proofHex.nullable().optional(),
  salt: proofHex.nullish(),
  signer: proofHex.optional(),
  logIndex: z.number().optional(),
  leafHash: proofHex.optional(),
  treeSize: z.number().nullable().optional(),
  root: proofHex.nullable().optional(),
})
export type PastedAlert = z.infer<typeof pastedAlert>

/**
 * With `alert`, the pasted content is verified; without it, the stored alert with this id.
 * `signature`, `merklePath` and `avalancheTx` are always taken from the request.
 */
export const verifyAlertRequest = z.strictObject({
  alertId: z.string().max(100),
  signature: proofHex,
  merklePath: z.array(proofHex).max(64),
  avalancheTx: z.string().max(200),
  alert: pastedAlert.optional(),
})

const checkResult = z.object({ valid: z.boolean(), reason: z.string() })
export const checkStatus = z.enum(['passed', 'failed', 'skipped', 'pending', 'unavailable', 'unproven'])

export const verifyAlertResponse = z.object({
  valid: z.boolean(),
  /**
   * `time-not-proven`: all other checks pass, but the anchor came too late to prove the stated
   * time. `valid` is true only for `verified`.
   */
  verdict: z.enum(['verified', 'time-not-proven', 'not-anchored', 'unavailable', 'failed']),
  /** True if the chain proves the stated time of issue. Null while unknown. */
  timeProven: z.boolean().nullable(),
  checks: z.object({ signature: checkResult, merklePath: checkResult, anchor: checkResult }),
  /** The six verification steps in order. */
  steps: z.array(
    z.object({
      id: z.enum(['payload', 'signature', 'merklePath', 'root', 'transaction', 'blockTime']),
      status: checkStatus,
      reason: z.string(),
    }),
  ),
  /** 1-based number of the first step that failed. */
  failedStep: z.number().int().nullable(),
  reason: z.string().nullable(),
  /** Time of the anchoring block. */
  chainTime: isoTime.nullable(),
  blockNumber: z.number().int().nullable(),
  confirmations: z.number().int().nullable(),
  rungs: z.array(
    z.object({
      level: z.number().int(),
      side: z.enum(['left', 'right']),
      sibling: z.string(),
      hash: z.string(),
    }),
  ),
})
export type VerifyAlertResponse = z.infer<typeof verifyAlertResponse>
