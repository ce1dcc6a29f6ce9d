import { endpoints } from '@tocsin/protocol'
import type { Context } from './context.ts'
import * as accounts from './features/accounts/routes.ts'
import * as admin from './features/admin/routes.ts'
import * as alerts from './features/alerts/routes.ts'
import { alertFigures } from './features/alerts/service.ts'
import { feedStatus } from './features/feed/service.ts'
import * as payments from './features/payments/service.ts'
import * as settings from './features/settings/routes.ts'
import * as subscriptions from './features/subscriptions/routes.ts'
import { findEntitlement } from './features/subscriptions/service.ts'
import * as tlog from './features/tlog/routes.ts'
import { anchorState, appendEntry } from './features/tlog/service.ts'
import * as wallets from './features/wallets/routes.ts'
import { listWallets } from './features/wallets/service.ts'
import { type Route, route } from './http/route.ts'

/** What routes ask of the running server rather than of the tables. */
export interface Measured {
  startedAt: Date
  connectedStreams(): number
}

/** All that one can ask, one line a call. The functions that one feature needs of another are handed over here. */
export function createRoutes({ startedAt, connectedStreams }: Measured): Route[] {
  const entitlement = (ctx: Context, accountId: string) => findEntitlement(ctx, accountId, ctx.clock.now())
  return [
    route(endpoints.register, accounts.register),
    route(endpoints.login, (ctx, input) => accounts.login(ctx, input, listWallets)),
    route(endpoints.logout, accounts.logout),
    route(endpoints.resendVerification, accounts.resendVerification),
    route(endpoints.forgotPassword, accounts.forgotPassword),
    route(endpoints.resetPassword, accounts.resetPassword),
    route(endpoints.verifyEmail, accounts.verifyEmail),
    route(endpoints.currentUser, (ctx, input) => accounts.currentUser(ctx, input, listWallets)),
    route(endpoints.listActivity, accounts.listActivity),

    route(endpoints.createChallenge, wallets.createChallenge),
    route(endpoints.proveWallet, wallets.proveWallet),
    route(endpoints.findWalletUser, wallets.findWalletUser),
    route(endpoints.createWalletUser, wallets.createWalletUser),

    route(endpoints.subscribe, subscriptions.createSubscribe(payments)),
    route(endpoints.activeSubscription, subscriptions.activeSubscription),

    route(endpoints.recentAlerts, (ctx, input) => alerts.recentAlerts(ctx, input, entitlement)),
    route(endpoints.userAlerts, (ctx, input) => alerts.userAlerts(ctx, input, entitlement)),
    route(endpoints.markAlertsRead, alerts.markAlertsRead),
    route(endpoints.verifyAlert, alerts.verifyAlert),
    route(endpoints.listAlerts, alerts.listAlerts),
    route(endpoints.createAlert, (ctx, input) => alerts.createAlert(ctx, input, appendEntry)),
    route(endpoints.broadcastAlert, alerts.broadcastAlert),

    route(endpoints.adminStats, (ctx, input) => admin.adminStats(ctx, input, alertFigures)),
    route(endpoints.systemStatus, (ctx, input) =>
      admin.systemStatus(ctx, input, { startedAt, connectedStreams, feedStatus, alertFigures, anchorState }),
    ),
    route(endpoints.logHead, tlog.logHead),
    route(endpoints.chainConfig, settings.chainConfig),
    route(endpoints.publicConfig, settings.publicConfig),
  ]
}
