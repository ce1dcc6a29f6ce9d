import { type SQL, sql } from 'drizzle-orm'
import { accounts } from '../../db/schema/accounts.ts'
import { passkeys, totpFactors } from '../../db/schema/factors.ts'

/** SQL condition on `accounts`: the account has a second factor. */
export const hasFactorCondition: SQL<boolean> = sql<boolean>`(
  exists (select 1 from ${totpFactors}
    where ${totpFactors.accountId} = ${accounts.id} and ${totpFactors.confirmedAt} is not null)
  or exists (select 1 from ${passkeys} where ${passkeys.accountId} = ${accounts.id}))`
