import type { Context } from '@tocsin/server/context.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import { mergePaymentDays } from '@tocsin/server/features/business/revenue-store.ts'
import { type MassCounts, seedAccounts } from './mass-accounts.ts'
import { seedAlerts } from './mass-alerts.ts'

/**
 * Fills an installation with as much data as that of a large operator, for measurements.
 * @param print called with a line for each step
 */
export async function seedMass(
  ctx: Context,
  { alerts: count, ...counts }: MassCounts & { alerts: number },
  print: (line: string) => void = () => {},
): Promise<void> {
  await seedAlerts(ctx, count, print)
  // Use one transaction, and with it one connection of the pool, because temporary tables exist
  // only in the connection that has created them.
  await ctx.db.transaction((tx) => seedAccounts(ctx, tx, counts, print))
  await mergePaymentDays(ctx.db)
  await ctx.db.execute('vacuum analyze')
  print(`  ${await ctx.db.$count(alerts)} alerts in the database`)
}
