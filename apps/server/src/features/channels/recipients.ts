import { permissionsOf } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { decideDelivery } from '../../delivery.ts'
import { mustEnrol } from '../sessions/second-factor.ts'
import { findEntitlements } from '../subscriptions/service.ts'
import { findRoles } from './store.ts'

/** Returns the accounts that get alerts through channels now. Suspended accounts get nothing. */
export async function findRecipients(ctx: Context, accountIds: string[]): Promise<Set<string>> {
  const ids = [...new Set(accountIds)]
  if (ids.length === 0) return new Set()
  const [roles, entitlements] = await Promise.all([findRoles(ctx.db, ids), findEntitlements(ctx, ids)])
  const now = ctx.clock.now().getTime()
  return new Set(
    ids.filter((id, at) => {
      const account = roles.get(id)
      if (!account || account.suspendedAt) return false
      const entitlement = entitlements[at] ?? null
      const isEnrolled = !mustEnrol(ctx.config, account, account.hasFactor)
      const readsAll = isEnrolled && permissionsOf(account.role).includes('alerts.read')
      const { channels, untilMs } = decideDelivery({ readsAll, entitlement })
      return channels && now < untilMs
    }),
  )
}
