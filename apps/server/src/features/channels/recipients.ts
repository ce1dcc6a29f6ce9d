import { listPermissions } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { decideDeliveryRights } from '../../delivery-rights.ts'
import { mustEnrol } from '../sessions/second-factor.ts'
import { findEntitlements } from '../subscriptions/service.ts'
import { findAccountAccess } from './store.ts'

/**
 * Returns the accounts that get alerts through channels now, each with the time when its plan ends,
 * in ms since 1970. Suspended accounts get nothing.
 */
export async function findRecipients(ctx: Context, accountIds: string[]): Promise<Map<string, number>> {
  const ids = [...new Set(accountIds)]
  if (ids.length === 0) return new Map()
  const [accesses, entitlements] = await Promise.all([findAccountAccess(ctx.db, ids), findEntitlements(ctx, ids)])
  const now = ctx.clock.now().getTime()
  return new Map(
    ids.flatMap((id, index) => {
      const account = accesses.get(id)
      if (!account || account.suspendedAt) return []
      const entitlement = entitlements[index] ?? null
      const isEnrolled = !mustEnrol(ctx.config, account, account.hasFactor)
      const readsAll = isEnrolled && listPermissions(account.role).includes('alerts.read')
      const untilMs = decideDeliveryRights({ readsAll, entitlement })
      return now < untilMs ? [[id, untilMs] as const] : []
    }),
  )
}
