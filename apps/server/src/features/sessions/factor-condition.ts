import { type SQL, sql } from 'drizzle-orm'
import { accounts } from '../../db/schema/accounts.ts'
import { passkeys, totpFactors } from '../../db/schema/factors.ts'

/**
 * SQL condition on `accounts`: the account has a second factor. The tables are named explicitly,
 * because drizzle leaves out their names in a query of one table. `id` would then be a column of
 * the inner table.
 */
export const hasFactorCondition: SQL<boolean> = sql<boolean>`(
  exists (select 1 from ${totpFactors}
    where ${totpFactors}.account_id = ${accounts}.id and ${totpFactors}.confirmed_at is not null)
  or exists (select 1 from ${passkeys} where ${passkeys}.account_id = ${accounts}.id))`
