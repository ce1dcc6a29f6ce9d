import { randomBytes } from 'node:crypto'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { passkeyChallenges } from '../../db/schema/factors.ts'
import { hashSecret } from '../sessions/secret.ts'

export const CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS

type Purpose = (typeof passkeyChallenges.$inferSelect)['purpose']
/** The session or the browser that a challenge belongs to. */
export type Holder = { sessionId: string } | { browserSecret: string }

/** Creates a challenge of 256 random bits. It can be answered once, within five minutes. */
export async function createChallenge(
  ctx: Context,
  purpose: Purpose,
  holder: Holder,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32))
  await ctx.db.insert(passkeyChallenges).values({
    challengeHash: hashSecret(Buffer.from(challenge).toString('base64url')),
    purpose,
    sessionId: 'sessionId' in holder ? holder.sessionId : null,
    browserHash: 'browserSecret' in holder ? hashSecret(holder.browserSecret) : null,
    expiresAt: new Date(ctx.clock.now().getTime() + CHALLENGE_LIFETIME_MS),
  })
  return challenge
}

/**
 * Deletes the challenge. Returns false if it is unknown, expired, was answered before, or belongs
 * to another purpose, session or browser.
 */
export async function consumeChallenge(
  ctx: Context,
  challenge: string,
  purpose: Purpose,
  holder: Holder,
): Promise<boolean> {
  const isHeld =
    'sessionId' in holder
      ? eq(passkeyChallenges.sessionId, holder.sessionId)
      : eq(passkeyChallenges.browserHash, hashSecret(holder.browserSecret))
  const rows = await ctx.db
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.challengeHash, hashSecret(challenge)),
        eq(passkeyChallenges.purpose, purpose),
        isHeld,
        gt(passkeyChallenges.expiresAt, ctx.clock.now()),
      ),
    )
    .returning({ purpose: passkeyChallenges.purpose })
  return rows.length > 0
}

export async function deleteExpiredChallenges(tx: Queryable, now: Date): Promise<void> {
  await tx.delete(passkeyChallenges).where(lte(passkeyChallenges.expiresAt, now))
}
