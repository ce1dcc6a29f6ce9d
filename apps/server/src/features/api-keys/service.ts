import type { ApiKeyScope } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { AuthenticatedApiKey } from '../../http/api-key-authenticator.ts'
import type { Actor } from '../../http/route.ts'
import { apiKeyCreatedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { hashSecret } from '../sessions/secret.ts'
import {
  assertRoom,
  assertUsable,
  assertWellFormed,
  createKey,
  describeScopes,
  isExpired,
  shouldSaveLastUse,
} from './api-key.ts'
import * as store from './store.ts'

export interface NewKey {
  name: string
  scopes: ApiKeyScope[]
  expiresInDays?: number | undefined
  requestsPerMinute: number
}

/**
 * Creates a key and emails its owner.
 * @throws Refusal too_many_api_keys
 */
export async function createApiKey(
  ctx: Context,
  actor: Pick<Actor, 'accountId' | 'sessionId'>,
  by: AuditActor,
  { expiresInDays, ...given }: NewKey,
): Promise<{ key: store.ApiKeyRow; secret: string }> {
  const { accountId } = actor
  const at = ctx.clock.now()
  const { secret, prefix } = createKey()
  const expiresAt = expiresInDays === undefined ? null : new Date(at.getTime() + expiresInDays * DAY_MS)
  const key = await ctx.db.transaction(async (tx) => {
    const account = await lockActor(ctx, tx, actor)
    assertRoom(await store.listApiKeys(tx, accountId), given.requestsPerMinute, at)
    const keyHash = hashSecret(secret)
    const row = await store.insertApiKey(tx, { ...given, accountId, keyHash, prefix, createdAt: at, expiresAt })
    const scopes = describeScopes(given.scopes)
    await recordActivity(tx, { accountId, kind: 'api_key_created', detail: `${given.name} (${scopes})`, at })
    const detail = { keyId: row.id, scopes, expiresAt: expiresAt?.toISOString() ?? null }
    await recordAudit(tx, { ...by, action: 'api_key_created', subject: accountId, detail, at })
    if (account.email && account.emailVerifiedAt) {
      const facts = { prefix, scopes, at, expiresAt }
      await ctx.sendMail(tx, apiKeyCreatedMail(account.email, facts, ctx.config.http.publicUrl))
    }
    return row
  })
  return { key, secret }
}

/** @throws Refusal not_found */
export async function revokeApiKey(
  ctx: Context,
  actor: Pick<Actor, 'accountId' | 'sessionId'>,
  by: AuditActor,
  id: string,
): Promise<void> {
  const { accountId } = actor
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const key = isUuid(id) ? await store.deleteApiKey(tx, accountId, id) : undefined
    if (!key) throw new Refusal('not_found', 'API key not found')
    await ctx.notifications.notify(tx, 'api-key', key.id)
    await recordActivity(tx, { accountId, kind: 'api_key_revoked', detail: key.name, at })
    await recordAudit(tx, { ...by, action: 'api_key_revoked', subject: accountId, detail: { keyId: id }, at })
  })
}

/**
 * Revokes all keys of an account, because an intruder may have used them. Callers must have locked
 * the account.
 */
export async function revokeAllApiKeys(ctx: Context, tx: Tx, accountId: string, cause: string): Promise<void> {
  const at = ctx.clock.now()
  const by = { actorId: accountId, requestId: cause }
  for (const { id, name } of await store.deleteApiKeysOf(tx, accountId)) {
    await ctx.notifications.notify(tx, 'api-key', id)
    await recordActivity(tx, { accountId, kind: 'api_key_revoked', detail: name, at })
    await recordAudit(tx, { ...by, action: 'api_key_revoked', subject: accountId, detail: { keyId: id }, at })
  }
}

/**
 * Returns the key if it is valid. A key has the rights of its account, but never admin rights.
 * @throws Refusal api_key_invalid, api_key_expired, account_suspended
 */
export async function findApiKey(ctx: Context, token: string): Promise<AuthenticatedApiKey> {
  assertWellFormed(token)
  const now = ctx.clock.now()
  const key = await store.findByHash(ctx.db, hashSecret(token))
  assertUsable(key, now)
  if (shouldSaveLastUse(key.lastUsedAt, now)) await store.updateLastUsed(ctx.db, key.id, now)
  const { id, accountId, scopes, requestsPerMinute } = key
  return { id, accountId, scopes, requestsPerMinute }
}

/**
 * Returns the key of an open stream. Null if it is revoked or expired, or its account is suspended.
 */
export async function findOpenApiKey(ctx: Context, id: string) {
  const key = await store.findById(ctx.db, id)
  return key && !key.suspendedAt && !isExpired(key, ctx.clock.now()) ? key : null
}

/** Exports the names, scopes and times of the keys, but never keys, prefixes or hashes. */
export async function exportApiKeys({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listApiKeys(db, accountId)
  return rows.map(({ name, scopes, createdAt, expiresAt, lastUsedAt }) => ({
    name,
    scopes,
    createdAt,
    expiresAt,
    lastUsedAt,
  }))
}
