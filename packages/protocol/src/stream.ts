import { z } from 'zod'
import { alert } from './alerts.ts'
import { address, isoTime, planId } from './primitives.ts'

/** What a client may say on /ws. `lastIndex` is the highest log index that it has seen: it gets exactly what came after. */
export const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('authenticate'),
    walletAddress: address,
    lastIndex: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  }),
])
export type ClientMessage = z.infer<typeof clientMessage>

/**
 * What the server says on /ws. `new_alert` comes once at issue and again, same id, when path and anchor are known. `live`
 * ends the backfill: from here on everything is fresh; `recovered` is false when the gap could not be filled and the client must read the
 * list again. `heartbeat` lets a page tell a quiet market from a dead connection. `chain_changed`: payments are made on another chain from now on.
 */
export const serverMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('authenticated'), planType: planId.nullable(), subscriptionExpiry: isoTime.nullable() }),
  z.object({ type: z.literal('authentication_failed'), message: z.string() }),
  z.object({ type: z.literal('subscription_expired'), message: z.string() }),
  z.object({ type: z.literal('subscription_status'), expiryDate: isoTime.nullable() }),
  z.object({ type: z.literal('new_alert'), alert }),
  z.object({ type: z.literal('live'), lastIndex: z.number().int().nullable(), recovered: z.boolean() }),
  z.object({ type: z.literal('heartbeat'), at: isoTime }),
  z.object({ type: z.literal('chain_changed'), chainId: z.string(), chainName: z.string() }),
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
