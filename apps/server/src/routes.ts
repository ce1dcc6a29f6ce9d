import { type AuditAction, type Endpoint, endpoints } from '@tocsin/protocol'
import { auditorOf, recordAudit } from './audit-log.ts'
import type { Context } from './context.ts'
import { createFirstAdmin } from './features/accounts/first-admin-routes.ts'
import * as ownAccount from './features/accounts/own-account-routes.ts'
import * as providers from './features/accounts/provider-routes.ts'
import * as accounts from './features/accounts/routes.ts'
import * as adminAlerts from './features/admin/alert-routes.ts'
import * as audit from './features/admin/audit-routes.ts'
import { formatCsv, formatCsvLines } from './features/admin/csv.ts'
import * as admin from './features/admin/routes.ts'
import { adminSystem } from './features/admin/system-routes.ts'
import * as users from './features/admin/user-routes.ts'
import type { AlsoWrite } from './features/alerts/alert.ts'
import { createAlertBundle } from './features/alerts/alert-bundle.ts'
import { createAlertPulse } from './features/alerts/alert-pulse.ts'
import { alertSignal } from './features/alerts/alert-signal.ts'
import { createAlertExports } from './features/alerts/export-alerts.ts'
import { createAlertFigures } from './features/alerts/figures.ts'
import type { IssueAlert } from './features/alerts/issue-alerts.ts'
import * as alertLists from './features/alerts/list-routes.ts'
import { publicAlerts } from './features/alerts/public-alerts.ts'
import { findReadable } from './features/alerts/reader.ts'
import * as alerts from './features/alerts/routes.ts'
import { getAdminAlert, loadAdminAlerts, medianToAnchorMs } from './features/alerts/service.ts'
import * as feed from './features/feed/routes.ts'
import { feedDetails, feedStatus } from './features/feed/service.ts'
import { isCollector } from './features/payments/collect.ts'
import * as orders from './features/payments/order-routes.ts'
import { readChain } from './features/payments/read-chain.ts'
import * as ledger from './features/payments/routes.ts'
import * as payments from './features/payments/service.ts'
import * as preferences from './features/preferences/routes.ts'
import { createFindReceipt } from './features/receipts/routes.ts'
import { lockAdmins } from './features/sessions/account-store.ts'
import { describeDevice } from './features/sessions/device.ts'
import { endSessionOf, endSessionsOf } from './features/sessions/service.ts'
import * as settings from './features/settings/routes.ts'
import * as subscriptions from './features/subscriptions/routes.ts'
import { findEntitlement } from './features/subscriptions/service.ts'
import { entitlementAt } from './features/subscriptions/subscription.ts'
import { createContactSupport } from './features/support/routes.ts'
import { createLogStats } from './features/tlog/log-stats.ts'
import * as tlog from './features/tlog/routes.ts'
import { anchorState, logSize, proofDomain, publishedKeys } from './features/tlog/service.ts'
import * as wallets from './features/wallets/routes.ts'
import { type Actor, type Input, type Route, route, streamRoute } from './http/route.ts'

/** Facts of the running server that are not in the database. */
export interface Measured {
  startedAt: Date
  /** Connected sockets that receive alerts, on all instances. */
  countListening(): Promise<number>
}

/** All routes, one per line. Functions that one feature needs from another are injected here. */
export function createRoutes({ startedAt, countListening }: Measured, issueAlert: IssueAlert): Route[] {
  const accountLocks = { lockAdmins, endSessions: endSessionsOf }
  const entitlement = (ctx: Context, accountId: string) => findEntitlement(ctx, accountId, ctx.clock.now())
  const { publicRpcUrl } = settings
  const logFacts = { proofDomain, publishedKeys, listKeyEntries: tlog.listKeyEntries, publicRpcUrl }
  const readableAlerts = (ctx: Context, actor: Actor | null) => findReadable(ctx, actor, entitlement)
  const alertFigures = createAlertFigures()
  const exports = createAlertExports(entitlement, { formatCsv, formatCsvLines })
  return [
    route(endpoints.register, accounts.register, 'lease'),
    route(endpoints.login, accounts.login),
    route(endpoints.logout, accounts.logout),
    route(endpoints.resendVerification, accounts.resendVerification),
    route(endpoints.forgotPassword, accounts.forgotPassword),
    route(endpoints.resetPassword, accounts.resetPassword),
    route(endpoints.checkResetLink, accounts.checkResetLink),
    route(endpoints.verifyEmail, accounts.verifyEmail),
    route(endpoints.currentUser, accounts.currentUser),
    route(endpoints.listActivity, accounts.listActivity),
    route(endpoints.createFirstAdmin, createFirstAdmin),

    route(endpoints.findAccount, ownAccount.findAccount),
    route(endpoints.changeName, ownAccount.changeName),
    route(endpoints.changeEmail, ownAccount.changeEmail),
    route(endpoints.changePassword, ownAccount.changePassword),
    route(endpoints.listSessions, ownAccount.listSessions),
    route(endpoints.endSession, ownAccount.endSession),
    route(endpoints.endOtherSessions, ownAccount.endOtherSessions),
    route(endpoints.exportAccount, ownAccount.exportAccount),
    route(endpoints.deleteAccount, ownAccount.deleteAccount),

    route(endpoints.googleSignIn, providers.googleSignIn),
    route(endpoints.googleCallback, providers.googleCallback),
    route(endpoints.linkedinSignIn, providers.linkedinSignIn),
    route(endpoints.linkedinCallback, providers.linkedinCallback),
    route(endpoints.unlinkIdentity, providers.unlinkIdentity),
    route(endpoints.walletSignInChallenge, wallets.walletSignInChallenge),
    route(endpoints.walletSignIn, wallets.walletSignIn),
    route(endpoints.confirm, accounts.confirm),
    route(endpoints.checkConfirmed, accounts.checkConfirmed),
    route(endpoints.confirmWallet, wallets.confirmWallet),

    route(endpoints.createChallenge, wallets.createChallenge),
    route(endpoints.proveWallet, wallets.proveWallet),
    route(endpoints.unlinkWallet, wallets.unlinkWallet),
    route(endpoints.findWalletUser, wallets.findWalletUser),
    route(endpoints.createWalletUser, wallets.createWalletUser),

    route(endpoints.subscribe, orders.subscribe, 'lease'),
    route(endpoints.createOrder, orders.createOrder, 'own keys'),
    route(endpoints.listOrders, orders.listOrders),
    route(endpoints.findOrder, orders.findOrder),
    route(endpoints.reportOrderTransaction, orders.reportOrderTransaction),
    route(endpoints.cancelOrder, orders.cancelOrder),
    route(endpoints.activeSubscription, subscriptions.activeSubscription),
    route(endpoints.findReceipt, createFindReceipt(logFacts)),
    route(endpoints.extendSubscription, subscriptions.extendSubscription),
    route(endpoints.cancelSubscription, subscriptions.cancelSubscription),

    route(endpoints.recentAlerts, (ctx, input) => alerts.recentAlerts(ctx, input, entitlement)),
    route(endpoints.publicAlerts, publicAlerts),
    route(endpoints.alertSignal, (ctx, input) => alertSignal(ctx, input, entitlement)),
    route(endpoints.alertBundle, createAlertBundle(logFacts, entitlement)),
    route(endpoints.alertPulse, createAlertPulse()),
    route(endpoints.userAlerts, (ctx, input) => alerts.userAlerts(ctx, input, entitlement)),
    route(endpoints.searchAlerts, (ctx, input) => alertLists.searchAlerts(ctx, input, entitlement)),
    route(endpoints.alertFacets, (ctx, input) => alertLists.alertFacets(ctx, input, entitlement)),
    route(endpoints.unreadAlerts, (ctx, input) => alertLists.unreadAlerts(ctx, input, entitlement)),
    streamRoute(endpoints.exportAlertsCsv, exports.csv),
    streamRoute(endpoints.exportAlertsJson, exports.json),
    route(endpoints.markAllRead, (ctx, input) => alertLists.markAllRead(ctx, input, entitlement)),
    route(endpoints.unmarkAllRead, alertLists.unmarkAllRead),
    route(endpoints.markAlertsRead, (ctx, input) => alerts.markAlertsRead(ctx, input, entitlement)),
    route(endpoints.verifyAlert, (ctx, input) => alerts.verifyAlert(ctx, input, publishedKeys, entitlement)),
    route(endpoints.listAlerts, alerts.listAlerts),
    route(
      endpoints.createAlert,
      (ctx, input) => alerts.createAlert(ctx, input, audited(issueAlert, auditNewAlert(ctx, input, 'alert_created'))),
      'own transaction',
    ),
    route(
      endpoints.correctAlert,
      (ctx, input) =>
        alerts.correctAlert(ctx, input, audited(issueAlert, auditNewAlert(ctx, input, 'alert_corrected'))),
      'own transaction',
    ),
    route(
      endpoints.retractAlert,
      (ctx, input) =>
        alerts.retractAlert(ctx, input, audited(issueAlert, auditNewAlert(ctx, input, 'alert_retracted'))),
      'own transaction',
    ),
    route(endpoints.broadcastAlert, (ctx, input) =>
      alerts.broadcastAlert(ctx, input, auditAlert(ctx, input, 'alert_broadcast')),
    ),

    route(endpoints.adminStats, (ctx, input) => admin.adminStats(ctx, input, alertFigures)),
    route(endpoints.systemStatus, (ctx, input) =>
      admin.systemStatus(ctx, input, {
        startedAt,
        countListening,
        feedStatus,
        alertFigures,
        anchorState,
        findEntitlement: entitlement,
      }),
    ),
    route(endpoints.listUsers, (ctx, input) => users.listUsers(ctx, input, entitlementAt)),
    route(endpoints.countUsers, users.countUsers),
    route(endpoints.findUser, (ctx, input) => users.findUser(ctx, input, { entitlementAt, describeDevice })),
    route(endpoints.exportUsers, (ctx, input) => users.exportUsers(ctx, input, entitlementAt)),
    route(endpoints.suspendUser, (ctx, input) => users.suspendUser(ctx, input, accountLocks)),
    route(endpoints.unsuspendUser, users.unsuspendUser),
    route(endpoints.endUserSessions, (ctx, input) => users.endUserSessions(ctx, input, endSessionsOf)),
    route(endpoints.endUserSession, (ctx, input) => users.endUserSession(ctx, input, endSessionOf)),
    route(endpoints.changeRole, (ctx, input) => users.changeRole(ctx, input, accountLocks)),
    route(endpoints.pageAlerts, (ctx, input) => adminAlerts.pageAlerts(ctx, input, loadAdminAlerts)),
    route(endpoints.countRecipients, (ctx, input) => adminAlerts.countRecipients(ctx, input, countListening)),
    route(endpoints.adminSystem, (ctx, input) =>
      adminSystem(ctx, input, {
        startedAt,
        countListening,
        medianToAnchorMs,
        anchorState,
        logSize,
        currentSigner: async (context) => (await publishedKeys(context)).at(-1)?.address ?? '',
        feedDetails,
        payments: payments.paymentDetails,
      }),
    ),
    route(endpoints.listUnmatchedPayments, ledger.listUnmatchedPayments),
    route(endpoints.resolveUnmatchedPayment, ledger.resolveUnmatchedPayment),
    route(endpoints.listAdminOrders, orders.listAdminOrders),
    route(endpoints.resolveOrder, orders.resolveOrder),
    route(endpoints.findReconciliation, ledger.findReconciliation),
    route(endpoints.startReconciliation, ledger.startReconciliation),
    route(endpoints.findFeedConfig, feed.findFeedConfig),
    route(endpoints.saveFeedConfig, feed.saveFeedConfig),
    route(endpoints.testFeed, (ctx, input) => feed.testFeed(ctx, input)),
    route(endpoints.listRefusedSignals, feed.listRefusedSignals),
    route(endpoints.listAudit, audit.listAudit),
    route(endpoints.exportAudit, audit.exportAudit),
    route(endpoints.logHead, tlog.logHead),
    route(endpoints.logCheckpoint, tlog.logCheckpoint),
    route(endpoints.logConsistency, tlog.logConsistency),
    route(endpoints.logInclusion, (ctx, input) => tlog.logInclusion(ctx, input, readableAlerts)),
    route(endpoints.logEntries, (ctx, input) => tlog.logEntries(ctx, input, readableAlerts)),
    route(endpoints.logAnchors, tlog.logAnchors),
    route(endpoints.logKeys, tlog.logKeys),
    route(endpoints.logStats, createLogStats()),
    route(endpoints.findPreferences, preferences.findPreferences),
    route(endpoints.savePreferences, preferences.savePreferences),
    route(endpoints.contactSupport, createContactSupport()),
    route(endpoints.chainConfig, settings.chainConfig),
    route(endpoints.findChainSetting, settings.findChainSetting),
    route(endpoints.changeChain, settings.changeChain),
    route(endpoints.readChain, readChain),
    route(endpoints.publicConfig, (ctx, input) => settings.publicConfig(ctx, input, { publishedKeys, isCollector })),
  ]
}

/**
 * Writes the audit entry of an alert in its transaction: for a new alert whether it was broadcast,
 * for a correction or retraction the original alert.
 */
function auditAlert(ctx: Context, input: Input<Endpoint>, action: AuditAction): AlsoWrite {
  const asked = Object.entries(Object(input.params)).find(([name]) => name === 'id')?.[1]
  const broadcast = Object.entries(Object(input.body)).find(([name]) => name === 'broadcast')?.[1]
  return (tx, alertId) => {
    const detail = {
      ...(typeof asked === 'string' && asked !== alertId ? { target: asked } : {}),
      ...(typeof broadcast === 'boolean' ? { broadcast } : {}),
    }
    return recordAudit(tx, { ...auditorOf(input), action, subject: alertId, detail, at: ctx.clock.now() })
  }
}

/**
 * Writes the audit entry of a new alert, and stores the response if the call carries an
 * Idempotency-Key.
 */
function auditNewAlert(
  ctx: Context,
  input: Input<(typeof endpoints)['createAlert' | 'correctAlert' | 'retractAlert']>,
  action: AuditAction,
): AlsoWrite {
  const audit = auditAlert(ctx, input, action)
  return async (tx, alertId) => {
    await audit(tx, alertId)
    await input.saveAnswer?.(tx, { alert: await getAdminAlert(tx, alertId), broadcast: input.body.broadcast })
  }
}

function audited(issueAlert: IssueAlert, alsoWrite: AlsoWrite): IssueAlert {
  return (issue) => issueAlert({ ...issue, alsoWrite })
}
