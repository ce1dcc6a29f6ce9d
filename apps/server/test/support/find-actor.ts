import type { Context } from '../../src/context.ts'
import { findActors, toSessionKey } from '../../src/features/sessions/service.ts'
import type { Actor } from '../../src/http/route.ts'

/** Returns the actor of a session cookie, or null if the session has ended. */
export async function findActor(
  ctx: Context,
  sessionCookie: string | undefined,
  isPoll = false,
): Promise<Actor | null> {
  if (!sessionCookie) return null
  const [actor = null] = await findActors(ctx, [{ ...toSessionKey(sessionCookie), isPoll }])
  return actor
}
