import { z } from 'zod'
import { alert, alertProof } from './alerts.ts'
import { livePrices } from './market-data.ts'
import { address, hash32, isoTime, planId, priority } from './primitives.ts'

/** Resume position of a client. */
const cursor = {
  /** The highest log index that the client has seen. The server sends everything after it. */
  lastIndex: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /**
   * The log that `lastIndex` refers to, from an earlier `live` message. If it is another log,
   * `lastIndex` is ignored.
   */
  logId: hash32.optional(),
}

/** Format in which the server sends proofs after an anchor. Default: the whole alert again. */
const proofFormat = { proofs: z.literal('compact').optional() }

/**
 * Messages from client to server on /ws.
 * - `authenticate`: for pages. The session that opened the socket must have proved the wallet
 * - `auth`: for programs, whose requests have neither cookie nor Origin. `message` is a Sign-In
 *   with Ethereum message (EIP-4361) built from the socket's `challenge`. The wallet signs it
 *   (EIP-191 or ERC-1271)
 * - `auth_key`: for programs with an API key of the scope `stream`. `apiKey` is left out if the
 *   handshake had the key in `Authorization: Bearer`. A page cannot set headers, so it opens
 *   `/ws?auth=key`: the server then accepts any Origin and ignores cookies
 *
 * With `format: 'summary'` the server sends `market_alert` and `subscription_update` instead of the
 * full messages. With `proofs: 'compact'` it sends `alert_proof` after an anchor, instead of
 * `new_alert` with the whole alert.
 */
export const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('authenticate'), walletAddress: address, ...proofFormat, ...cursor }),
  z.strictObject({
    type: z.literal('auth'),
    walletAddress: address,
    message: z.string().max(4096),
    signature: z.string().max(4096),
    format: z.enum(['full', 'summary']).optional(),
    ...proofFormat,
    ...cursor,
  }),
  z.strictObject({
    type: z.literal('auth_key'),
    apiKey: z.string().max(200).optional(),
    format: z.enum(['full', 'summary']).optional(),
    ...proofFormat,
    ...cursor,
  }),
])
export type ClientMessage = z.infer<typeof clientMessage>

/**
 * Fields of the message that a program must sign. The program adds its own address. The nonce is
 * valid for this socket and one attempt.
 */
export const streamChallenge = z.object({
  type: z.literal('challenge'),
  domain: z.string(),
  uri: z.string(),
  chainId: z.number().int(),
  statement: z.string(),
  nonce: z.string(),
  issuedAt: isoTime,
  expiresAt: isoTime,
})
export type StreamChallenge = z.infer<typeof streamChallenge>

/** A short form of an alert, for programs that only display it. */
export const marketAlert = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  priority,
  timestamp: isoTime,
  logIndex: z.number().int().nonnegative(),
})

/** Parts of the admin pages that refresh automatically. Each name identifies the data to reload. */
export const adminAreas = ['alerts', 'users', 'payments', 'feed', 'audit', 'chain', 'instances'] as const
export const adminArea = z.enum(adminAreas)
export type AdminArea = z.infer<typeof adminArea>

/**
 * Messages from server to client on /ws.
 * - `challenge`: sent when a program connects and after each failed `auth`
 * - `new_alert`: sent once when the alert is issued. Sent again with the same id and `isUpdate`
 *   when the Merkle path and the anchor are known, and when the outcome is logged
 * - `alert_proof`: for clients that requested compact proofs; sent instead of `new_alert` when the
 *   Merkle path and the anchor are known. The fields have the names that they have in the alert.
 *   The client may not have the alert, because it was issued before the client connected
 * - `live`: end of the backfill. `recovered` is false if the server could not send all missed
 *   alerts, so the client must reload the list
 * - `delayed`: the server has not been able to read new alerts since the time `since`. It closes
 *   the socket (1012) if the delay lasts. `since: null` means that the server has recovered and has
 *   sent the missing alerts
 * - `prices`: prices that have changed, at most once a second; only if the operator has a source.
 *   `at` is the server's time
 * - `heartbeat`: lets a client tell a quiet market from a dead connection
 * - `chain_changed`: new payments use another chain
 * - `preferences_changed`, `reads_changed`: changed on another device of the account
 * - `acknowledgements_changed`: the account has acknowledged an alert, on a page or from a message
 * - `admin_changed`: for admins; the data of these areas is out of date
 * - `market_alert`, `subscription_update`: for programs that requested the summary format
 */
export const serverMessage = z.discriminatedUnion('type', [
  streamChallenge,
  z.object({ type: z.literal('authenticated'), planType: planId.nullable(), subscriptionExpiry: isoTime.nullable() }),
  z.object({ type: z.literal('authentication_failed'), message: z.string() }),
  z.object({ type: z.literal('subscription_expired'), message: z.string() }),
  z.object({ type: z.literal('subscription_status'), expiryDate: isoTime.nullable() }),
  z.object({ type: z.literal('new_alert'), alert, isUpdate: z.literal(true).optional() }),
  z.object({ type: z.literal('alert_proof'), ...alertProof.shape }),
  z.object({ type: z.literal('market_alert'), data: marketAlert }),
  z.object({
    type: z.literal('subscription_update'),
    status: z.enum(['active', 'expired']),
    expiresAt: isoTime.nullable(),
  }),
  z.object({
    type: z.literal('live'),
    lastIndex: z.number().int().nullable(),
    logId: z.string(),
    recovered: z.boolean(),
  }),
  z.object({ type: z.literal('delayed'), since: isoTime.nullable() }),
  z.object({ type: z.literal('prices'), ...livePrices.shape }),
  z.object({ type: z.literal('heartbeat'), at: isoTime }),
  z.object({ type: z.literal('chain_changed'), chainId: z.string(), chainName: z.string() }),
  z.object({ type: z.literal('preferences_changed') }),
  z.object({ type: z.literal('reads_changed') }),
  z.object({ type: z.literal('acknowledgements_changed') }),
  z.object({ type: z.literal('admin_changed'), areas: z.array(adminArea) }),
])
export type ServerMessage = z.infer<typeof serverMessage>

/** Close codes of /ws, including two of RFC 6455 (1008, 1012). */
export const closeCodes = {
  entitlementEnded: 4403,
  sessionEnded: 4401,
  tooManySockets: 4429,
  restart: 1012,
  policy: 1008,
} as const

/** Formats the close reason that asks a client to reconnect after `waitMs`. */
export const restartReason = (text: string, waitMs: number) => `${text}; retry-after-ms=${waitMs}`

/**
 * Returns the delay in milliseconds that a close reason requests. Null if the reason has no delay,
 * or one of more than four digits.
 */
export function readRetryHint(reason: string): number | null {
  const digits = /; retry-after-ms=(\d{1,4})$/.exec(reason)?.[1]
  return digits === undefined ? null : Number(digits)
}
