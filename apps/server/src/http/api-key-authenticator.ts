import { createHash } from 'node:crypto'
import { type ApiKeyScope, apiKeyLimits, type Endpoint } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { Quota } from '../quota.ts'
import { Refusal } from '../refusal.ts'
import { setNewest } from '../set-newest.ts'
import { NetworkQuotas } from './network-quotas.ts'
import type { Actor } from './route.ts'

/** A valid API key and its rights. */
export interface AuthenticatedApiKey {
  id: string
  accountId: string
  scopes: readonly ApiKeyScope[]
  requestsPerMinute: number
}

/**
 * Finds the API key of a request by its token.
 * @throws Refusal api_key_invalid, api_key_expired, account_suspended
 */
export type FindApiKey = (token: string) => Promise<AuthenticatedApiKey>

/**
 * The quotas of an account and of its keys. When the account's window ends, the quotas of its keys
 * are reset. If their windows ended independently, a key could use its quota twice within one
 * window of the account, and so take the share of another key.
 */
interface AccountQuotas {
  /** Limits all keys together, including keys that are revoked or created within the window. */
  ofAll: Quota
  byKey: Map<string, Quota>
}

export interface ApiKeyAuthenticator {
  /**
   * Returns the key and counts the request.
   * @param cost number of requests that the call counts as
   * @throws Refusal too_many_requests, api_key_scope, and the refusals of `FindApiKey`
   */
  authenticate(
    token: string,
    request: { network: string; scope: ApiKeyScope | undefined; cost: number },
  ): Promise<AuthenticatedApiKey>
  deleteIdle(): void
}

/**
 * Maximum number of wrong keys from a network in a minute. Further ones are rejected without a
 * database query.
 */
const FAILURES_PER_MINUTE = 60

/** Maximum number of accepted keys that are remembered. */
const MAX_ACCEPTED_KEYS = 10_000

/**
 * Checks API keys. Limits the requests of each key, and the wrong keys of each network. If a
 * network has reached its limit, programs in it are still served if this instance has accepted
 * their key before.
 */
export function createApiKeyAuthenticator(
  findApiKey: FindApiKey,
  nowMs = () => performance.now(),
): ApiKeyAuthenticator {
  const failures = new NetworkQuotas(FAILURES_PER_MINUTE, MINUTE_MS)
  const acceptedKeys = createAcceptedKeys()
  const byAccount = new Map<string, AccountQuotas>()
  /**
   * Time when the quota of a key is available again, by the hash of the key. Until then, requests
   * are rejected without a database query.
   */
  const exhaustedUntilMs = new Map<string, number>()

  const consumeQuotas = ({ id, accountId, requestsPerMinute }: AuthenticatedApiKey, hash: string, cost: number) => {
    const now = nowMs()
    const quotas = byAccount.get(accountId) ?? {
      ofAll: new Quota(apiKeyLimits.requestsPerMinute, MINUTE_MS),
      byKey: new Map<string, Quota>(),
    }
    byAccount.set(accountId, quotas)
    const { ofAll, byKey } = quotas
    if (ofAll.isIdle(now)) byKey.clear()
    const keyQuota = byKey.get(id) ?? new Quota(requestsPerMinute, MINUTE_MS)
    byKey.set(id, keyQuota)
    // Checks both before it consumes either, so that a refused request counts for neither.
    if (keyQuota.canConsume(now, cost) && ofAll.consume(now, cost)) {
      keyQuota.consume(now, cost)
      return
    }
    const leftMs = Math.max(1, ofAll.windowRemainingMs(now))
    // If a use is left, the key is not exhausted: a cheaper request may still be accepted.
    if (!keyQuota.canConsume(now, 1) || !ofAll.canConsume(now, 1)) exhaustedUntilMs.set(hash, now + leftMs)
    assertQuotaLeft(leftMs)
  }
  const findKey = async (token: string, network: string) => {
    if (!acceptedKeys.has(token)) assertQuotaLeft(failures.waitMs(network, nowMs()))
    try {
      const key = await findApiKey(token)
      acceptedKeys.add(token)
      return key
    } catch (error) {
      if (error instanceof Refusal) {
        acceptedKeys.delete(token)
        failures.consume(network, nowMs())
      }
      throw error
    }
  }
  return {
    async authenticate(token, { network, scope, cost }) {
      const hash = hashToken(token)
      if (cost > 0) assertQuotaLeft((exhaustedUntilMs.get(hash) ?? 0) - nowMs())
      const key = await findKey(token, network)
      consumeQuotas(key, hash, cost)
      if (scope === undefined) throw new Refusal('api_key_scope', 'No API key can make this call')
      if (!key.scopes.includes(scope)) {
        throw new Refusal('api_key_scope', `This call needs an API key with the scope ${scope}`, { scope })
      }
      return key
    },
    deleteIdle() {
      failures.deleteIdle(nowMs())
      for (const [id, { ofAll }] of byAccount) if (ofAll.isIdle(nowMs())) byAccount.delete(id)
      for (const [hash, untilMs] of exhaustedUntilMs) if (untilMs <= nowMs()) exhaustedUntilMs.delete(hash)
    },
  }
}

/**
 * Stores the hashes of the most recently used accepted keys. A stored hash only exempts a key from
 * the limit of wrong keys; each request still looks up the key.
 */
function createAcceptedKeys() {
  const hashes = new Map<string, true>()
  return {
    has: (token: string) => hashes.has(hashToken(token)),
    add: (token: string) => setNewest(hashes, hashToken(token), true, MAX_ACCEPTED_KEYS),
    delete: (token: string) => hashes.delete(hashToken(token)),
  }
}

const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')

function assertQuotaLeft(waitMs: number): void {
  if (waitMs <= 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1_000)
  throw new Refusal('too_many_requests', 'Too many requests with API keys. Wait a little and try again.', {
    retryAfterSeconds,
  })
}

/** Returns the number of requests that a call counts as. */
export function getCost({ limit }: Pick<Endpoint, 'limit'>): number {
  return limit === undefined || limit === 'day' ? 1 : apiKeyLimits.costlyRequests
}

/** Returns the actor for an API key, which has no session, no wallet and no admin rights. */
export function createKeyActor({ id, accountId }: AuthenticatedApiKey): Actor {
  return {
    sessionId: `API key ${id}`,
    sessionIdHash: '',
    accountId,
    email: null,
    name: '',
    role: 'user',
    permissions: [],
    hasFactor: false,
    mustEnrol: false,
    provedWallets: [],
    authenticatedAt: new Date(0),
    sessionEndsAt: new Date(0),
  }
}
