import { type ApiKeyScope, apiKeyLimits, type Endpoint } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { Quota, Quotas } from '../quota.ts'
import { Refusal } from '../refusal.ts'
import type { Actor } from './route.ts'

/** A valid API key, with what it may do. */
export interface ApiKeyHolder {
  id: string
  accountId: string
  scopes: readonly ApiKeyScope[]
  requestsPerMinute: number
}

/**
 * Finds the key that a request carries.
 * @throws Refusal api_key_invalid, api_key_expired, account_suspended
 */
export type FindApiKey = (token: string) => Promise<ApiKeyHolder>

export interface KeyGate {
  /**
   * Returns the key's holder and counts the request.
   * @param cost 0 for requests that are limited otherwise
   * @throws Refusal also too_many_requests, api_key_scope
   */
  admit(
    token: string,
    request: { network: string; scope: ApiKeyScope | undefined; cost: number },
  ): Promise<ApiKeyHolder>
  forgetIdle(): void
}

/** Wrong keys per network. More of them are rejected without a database query. */
const FAILURES_PER_MINUTE = 60

/** Checks API keys, and limits each key and the guesses of each network. */
export function createKeyGate(findApiKey: FindApiKey, nowMs = () => performance.now()): KeyGate {
  const failures = new Quotas(FAILURES_PER_MINUTE, MINUTE_MS)
  const byKey = new Map<string, Quota>()

  const findKey = async (token: string, network: string) => {
    assertLeft(failures.waitMs(network, nowMs()))
    try {
      return await findApiKey(token)
    } catch (error) {
      if (error instanceof Refusal) failures.take(network, nowMs())
      throw error
    }
  }
  return {
    async admit(token, { network, scope, cost }) {
      const key = await findKey(token, network)
      const quota = byKey.get(key.id) ?? new Quota(key.requestsPerMinute, MINUTE_MS)
      byKey.set(key.id, quota)
      if (!quota.take(nowMs(), cost)) assertLeft(Math.max(1, quota.leftMs(nowMs())))
      if (scope === undefined) throw new Refusal('api_key_scope', 'No API key can make this call')
      if (!key.scopes.includes(scope)) {
        throw new Refusal('api_key_scope', `This call needs an API key with the scope ${scope}`, { scope })
      }
      return key
    },
    forgetIdle() {
      failures.forgetIdle(nowMs())
      for (const [id, quota] of byKey) if (quota.isIdle(nowMs())) byKey.delete(id)
    },
  }
}

function assertLeft(waitMs: number): void {
  if (waitMs <= 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1_000)
  throw new Refusal('too_many_requests', 'Too many requests with API keys. Wait a little and try again.', {
    retryAfterSeconds,
  })
}

/** Requests that a call counts as. */
export function costOf({ limit }: Pick<Endpoint, 'limit'>): number {
  return limit === undefined || limit === 'day' ? 1 : apiKeyLimits.costlyRequests
}

/** A key has no session, no wallet and no admin rights. */
export function actorOfKey({ id, accountId }: ApiKeyHolder): Actor {
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
    // A key has no session.
    sessionEndsAt: new Date(0),
  }
}
