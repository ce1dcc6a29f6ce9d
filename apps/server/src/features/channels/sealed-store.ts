import { and, eq } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { destinations } from '../../db/schema/channels.ts'

/**
 * Stores secrets that were derived from `former`. A destination whose secrets were changed since
 * `former` was read keeps the changed ones.
 */
export async function replaceSealed(tx: Queryable, id: string, former: string, sealed: string): Promise<void> {
  await tx
    .update(destinations)
    .set({ sealed })
    .where(and(eq(destinations.id, id), eq(destinations.sealed, former)))
}
