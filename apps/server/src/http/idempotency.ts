import { createHmac } from 'node:crypto'
import type { Endpoint } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../context.ts'
import type { Database, Tx } from '../db/database.ts'
import { Refusal } from '../refusal.ts'
import {
  type CallerKey,
  claimKey,
  countKeys,
  deleteResponsesBefore,
  findResponse,
  type HeldKey,
  releaseKey,
  updateResponse,
} from './idempotency-store.ts'
import { getNetwork } from './network.ts'
import type { Input, Route, Safeguard } from './route.ts'

const KEY_LIFETIME_MS = DAY_MS
/**
 * How long a claim without a response prevents other requests with its key. Longer than any request
 * with the safeguard `lease` takes. If the server crashes, the key can be used again after this
 * time.
 */
const LEASE_MS = 60_000
const MAX_KEYS_PER_CALLER = 1_000
/** Stored in place of a response that contains a secret. */
const WITHHELD_RESPONSE = '{}'

/**
 * Thrown if a concurrent request has claimed this key first. This rolls back the transaction with
 * the changes of the later request.
 */
class KeyTakenError extends Error {}

interface Claim extends CallerKey {
  request: string
  /** The digest of the same request by an instance whose APP_SECRET is APP_SECRET_PREVIOUS here. */
  previousRequest: string | null
}

type RunHandler = (ctx: Context, input: Input<Endpoint>) => Promise<unknown>

/**
 * Runs a creating request at most once per caller, key and content. Repetitions get the first
 * response. A refused request has no effect, and its key can be used again. A response with a
 * secret is not stored, so a repetition is refused.
 * @throws Refusal idempotency_mismatch, idempotency_running, idempotency_secret, too_many_requests,
 * and errors of the handler
 */
export async function runOnce(
  ctx: Context,
  { endpoint, handle, safeguard = 'transaction' }: Route,
  input: Input<Endpoint>,
  key: string,
): Promise<unknown> {
  if (safeguard === 'own keys') return handle(ctx, input)
  const claim = describeClaim(ctx, endpoint, input, key)
  const storedResponse = await findStoredResponse(ctx, claim)
  if (storedResponse) return replayResponse(endpoint, input, storedResponse)
  await assertMayClaim(ctx, claim, (input.actor?.permissions.length ?? 0) > 0)
  try {
    return await runners[safeguard](ctx, handle, input, claim, endpoint)
  } catch (error) {
    if (!(error instanceof KeyTakenError)) throw error
    const firstResponse = await findStoredResponse(ctx, claim)
    if (firstResponse) return replayResponse(endpoint, input, firstResponse)
    throw createRunningRefusal()
  }
}

function describeClaim(
  { config }: Context,
  { method }: Endpoint,
  { actor, request, body }: Input<Endpoint>,
  key: string,
): Claim {
  const caller = actor?.accountId ?? `network ${getNetwork(request.ip)}`
  const content = JSON.stringify([method, request.url, body ?? null])
  // An HMAC is used, because an unkeyed hash of a sign-up would allow offline guessing of its
  // password.
  const computeDigest = (secret: string) => createHmac('sha256', `idempotency ${secret}`).update(content).digest('hex')
  const { appSecret, appSecretPrevious } = config
  const previousRequest = appSecretPrevious && computeDigest(appSecretPrevious)
  return { caller, key, request: computeDigest(appSecret), previousRequest }
}

/**
 * Returns the stored response of an earlier request with this key, or null.
 * @throws Refusal idempotency_mismatch if the key was used for another request, idempotency_running
 * if the earlier request is still running
 */
async function findStoredResponse(ctx: Context, claim: Claim): Promise<string | null> {
  const now = ctx.clock.now()
  const row = await findResponse(ctx.db, claim, computeExpiredBefore(now))
  if (!row) return null
  if (row.request !== claim.request && row.request !== claim.previousRequest) {
    throw new Refusal('idempotency_mismatch', 'This Idempotency-Key was used for another request.')
  }
  if (row.answer === null && row.runsUntil !== null && row.runsUntil > now) throw createRunningRefusal()
  return row.answer
}

function createRunningRefusal(): Refusal {
  const text = 'The first request with this Idempotency-Key is still running. Try again in a moment.'
  return new Refusal('idempotency_running', text, { retryAfterSeconds: 1 })
}

function replayResponse({ creates }: Endpoint, { reply }: Input<Endpoint>, response: string): unknown {
  if (creates === 'secret') {
    const text =
      'The first request with this Idempotency-Key was carried out. Its secret was shown once and is not stored.'
    throw new Refusal('idempotency_secret', text)
  }
  reply.header('idempotency-replayed', 'true')
  return JSON.parse(response)
}

/**
 * Checks that the caller may use a further key. Callers other than staff can have only a limited
 * number, because stored responses use space.
 */
async function assertMayClaim(ctx: Context, { caller }: Claim, isStaff: boolean): Promise<void> {
  if (isStaff || (await countKeys(ctx.db, caller)) < MAX_KEYS_PER_CALLER) return
  throw new Refusal('too_many_requests', 'Too many requests with an Idempotency-Key in 24 hours.')
}

async function claimOrThrow(
  ctx: Context,
  tx: Tx | Database,
  { caller, key, request }: Claim,
  claimOptions: { response?: string; leaseMs?: number },
): Promise<HeldKey> {
  const createdAt = ctx.clock.now()
  const runsUntil = claimOptions.leaseMs === undefined ? null : new Date(createdAt.getTime() + claimOptions.leaseMs)
  const row = { caller, key, request, answer: claimOptions.response ?? null, runsUntil, createdAt }
  if (!(await claimKey(tx, row, computeExpiredBefore(createdAt)))) throw new KeyTakenError()
  return row
}

const runners: Record<
  Exclude<Safeguard, 'own keys'>,
  (ctx: Context, run: RunHandler, input: Input<Endpoint>, claim: Claim, endpoint: Endpoint) => Promise<unknown>
> = {
  transaction: (ctx, run, input, claim, { creates }) =>
    ctx.db.transaction(async (tx) => {
      const heldKey = await claimOrThrow(ctx, tx, claim, {})
      // The cast is safe: a transaction has all properties of a database except `$client`, which no
      // feature uses. Nested transactions become savepoints.
      const response = await run({ ...ctx, db: tx as unknown as Database }, input)
      await updateResponse(tx, heldKey, creates === 'secret' ? WITHHELD_RESPONSE : JSON.stringify(response))
      return response
    }),
  'own transaction': (ctx, run, input, claim) =>
    run(ctx, {
      ...input,
      saveResponse: async (tx, response) => {
        await claimOrThrow(ctx, tx, claim, { response: JSON.stringify(response) })
      },
    }),
  lease: async (ctx, run, input, claim) => {
    const heldKey = await claimOrThrow(ctx, ctx.db, claim, { leaseMs: LEASE_MS })
    try {
      const response = await run(ctx, input)
      await updateResponse(ctx.db, heldKey, JSON.stringify(response))
      return response
    } catch (error) {
      await releaseKey(ctx.db, heldKey)
      throw error
    }
  },
}

function computeExpiredBefore(now: Date): Date {
  return new Date(now.getTime() - KEY_LIFETIME_MS)
}

export async function deleteExpiredResponses(ctx: Context): Promise<void> {
  await deleteResponsesBefore(ctx.db, computeExpiredBefore(ctx.clock.now()))
}
