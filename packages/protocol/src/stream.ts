import { z } from 'zod'
import { alert } from './alerts.ts'
import { address, hash32, isoTime, planId, priority } from './primitives.ts'

/** Where a client left off. */
const cursor = {
  /** The highest log index that it has seen: it gets exactly what came after. */
  lastIndex: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** The log which that index is of, as `live` named it: of another log, an index says nothing. */
  logId: hash32.optional(),
}

/**
 * What a client may say on /ws. `authenticate` is for a page: the wallet must be proved by the session that opened the socket. `auth` is for a
 * program, which has neither cookie nor Origin: `message` is Sign-In with Ethereum (EIP-4361) over the socket's `challenge`, signed by the wallet
 * (EIP-191, ERC-1271). With `format: 'summary'` its alerts come as `market_alert`, and its subscription as `subscription_update`.
 */
export const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('authenticate'), walletAddress: address, ...cursor }),
  z.strictObject({
    type: z.literal('auth'),
    walletAddress: address,
    message: z.string().max(4096),
    signature: z.string().max(4096),
    format: z.enum(['full', 'summary']).optional(),
    ...cursor,
  }),
])
export type ClientMessage = z.infer<typeof clientMessage>

/** What a program is to sign: every field of the message but its own address. The nonce is for this socket and for one answer. */
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

/** An alert in short, for programs that show it and no more. */
export const marketAlert = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  priority,
  timestamp: isoTime,
  logIndex: z.number().int().nonnegative(),
})

/** What an admin’s page shows by itself; each name stands for what it reads again. */
export const adminAreas = ['alerts', 'users', 'payments', 'feed', 'audit', 'chain', 'instances'] as const
export const adminArea = z.enum(adminAreas)
export type AdminArea = z.infer<typeof adminArea>

/**
 * What the server says on /ws. `challenge` opens a program's socket and follows each failed `auth`. `new_alert` comes once at issue and again, same
 * id and with `isUpdate`, when path and anchor are known. `live` ends the backfill: from here on everything is fresh; `recovered` is false when the gap could not be
 * filled and the client must read the list again. `delayed`: this server cannot read new alerts since then, and closes the socket (1012) if that lasts; with null
 * it can again, and has sent what was missing. `heartbeat` lets a page tell a quiet market from a dead connection. `chain_changed`: payments are
 * made on another chain from now on. `preferences_changed`: the account has chosen something on another device; `reads_changed`: it has read alerts there. `admin_changed` goes to admins: what of these areas a page shows is out of date. `market_alert` and `subscription_update` go to programs that have asked for the short format.
 */
export const serverMessage = z.discriminatedUnion('type', [
  streamChallenge,
  z.object({ type: z.literal('authenticated'), planType: planId.nullable(), subscriptionExpiry: isoTime.nullable() }),
  z.object({ type: z.literal('authentication_failed'), message: z.string() }),
  z.object({ type: z.literal('subscription_expired'), message: z.string() }),
  z.object({ type: z.literal('subscription_status'), expiryDate: isoTime.nullable() }),
  z.object({ type: z.literal('new_alert'), alert, isUpdate: z.literal(true).optional() }),
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
  z.object({ type: z.literal('heartbeat'), at: isoTime }),
  z.object({ type: z.literal('chain_changed'), chainId: z.string(), chainName: z.string() }),
  z.object({ type: z.literal('preferences_changed') }),
  z.object({ type: z.literal('reads_changed') }),
  z.object({ type: z.literal('admin_changed'), areas: z.array(adminArea) }),
])
export type ServerMessage = z.infer<typeof serverMessage>

/** Close codes of /ws beyond RFC 6455's. */
export const closeCodes = {
  entitlementEnded: 4403,
  sessionEnded: 4401,
  tooManySockets: 4429,
  restart: 1012,
  policy: 1008,
} as const
