import { endpoints } from '@tocsin/protocol'
import type { ReadReplica } from './db/read-replica.ts'
import * as users from './features/accounts/admin-routes.ts'
import { createFirstAdmin } from './features/accounts/first-admin-routes.ts'
import * as ownAccount from './features/accounts/own-account-routes.ts'
import * as providers from './features/accounts/provider-routes.ts'
import * as accounts from './features/accounts/routes.ts'
import { listUserTimeline } from './features/accounts/timeline.ts'
import * as adminAlerts from './features/alerts/admin-routes.ts'
import { alertBundle } from './features/alerts/alert-bundle.ts'
import { createAlertPulse } from './features/alerts/alert-pulse.ts'
import { alertSignal, alertSignals } from './features/alerts/alert-signal.ts'
import { createAlertExports } from './features/alerts/export-alerts.ts'
import { createAlertFigures } from './features/alerts/figures.ts'
import type { IssueAlert } from './features/alerts/issue-alerts.ts'
import * as alertLists from './features/alerts/list-routes.ts'
import { publicAlerts } from './features/alerts/public-alerts.ts'
import * as alerts from './features/alerts/routes.ts'
import * as apiKeys from './features/api-keys/routes.ts'
import * as audit from './features/audit/routes.ts'
import * as business from './features/business/routes.ts'
import * as adminChannels from './features/channels/admin-routes.ts'
import * as channels from './features/channels/routes.ts'
import * as adminCoupons from './features/coupons/admin-routes.ts'
import * as coupons from './features/coupons/routes.ts'
import * as passkeys from './features/factors/passkey-routes.ts'
import * as factors from './features/factors/routes.ts'
import * as feed from './features/feed/routes.ts'
import { type MarketData, noMarketData } from './features/market/market-data.ts'
import { createMarketRoutes } from './features/market/routes.ts'
import * as adminOutreach from './features/outreach/admin-routes.ts'
import { findAnnouncements } from './features/outreach/routes.ts'
import * as ledger from './features/payments/admin-routes.ts'
import { createChainReads } from './features/payments/chain-reads.ts'
import * as allPayments from './features/payments/payment-list.ts'
import { readChain } from './features/payments/read-chain.ts'
import * as orders from './features/payments/routes.ts'
import * as preferences from './features/preferences/routes.ts'
import { findReceipt } from './features/receipts/routes.ts'
import * as record from './features/record/routes.ts'
import { createTrackRecords, type TrackRecords } from './features/record/track-record.ts'
import * as schedule from './features/schedule/routes.ts'
import * as security from './features/security/routes.ts'
import * as protectedSettings from './features/settings/protected-routes.ts'
import * as settings from './features/settings/routes.ts'
import * as sharing from './features/sharing/routes.ts'
import { cancelSubscription, extendSubscription } from './features/subscriptions/admin-routes.ts'
import * as subscriptions from './features/subscriptions/routes.ts'
import { createContactSupport } from './features/support/routes.ts'
import * as supportMessages from './features/support/support-message-routes.ts'
import * as syndication from './features/syndication/routes.ts'
import { adminSystem } from './features/system/admin-routes.ts'
import { adminInstances } from './features/system/instances.ts'
import { publicConfig } from './features/system/public-config.ts'
import type { RunningValues } from './features/system/routes.ts'
import * as system from './features/system/routes.ts'
import { createLogStats } from './features/tlog/log-stats.ts'
import * as tlog from './features/tlog/routes.ts'
import * as views from './features/views/routes.ts'
import * as wallets from './features/wallets/routes.ts'
import { addEntityTag, createCachedRoute, createEncodedRoute, createSharedRoute } from './http/encoded-route.ts'
import { type Route, readFromReplica, route, streamRoute } from './http/route.ts'

/**
 * Returns all routes, one per line. The parameters are the objects that exist only in a running
 * server.
 */
export function createRoutes(
  running: RunningValues,
  issueAlert: IssueAlert,
  trackRecords: TrackRecords = createTrackRecords(),
  marketData: Pick<MarketData, 'prices' | 'progressOf' | 'candlesOf'> = noMarketData,
  replica: ReadReplica | null = null,
  alertFigures = createAlertFigures(),
  readLogStats = createLogStats(),
): Route[] {
  const exports = createAlertExports()
  const chainReads = createChainReads()
  const market = createMarketRoutes(marketData)
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

    route(endpoints.completeSignIn, factors.completeSignIn),
    route(endpoints.confirmFactor, factors.confirmFactor),
    route(endpoints.findFactors, factors.findFactors),
    route(endpoints.useEnrolmentCode, factors.useEnrolmentCode),
    route(endpoints.issueEnrolmentCode, factors.issueEnrolmentCode),
    route(endpoints.startTotp, factors.startTotp),
    route(endpoints.confirmTotp, factors.confirmTotp),
    route(endpoints.removeTotp, factors.removeTotp),
    route(endpoints.replaceRecoveryCodes, factors.replaceRecoveryCodes),
    route(endpoints.cancelFactorReset, factors.cancelFactorReset),
    route(endpoints.cancelOwnFactorReset, factors.cancelOwnFactorReset),
    route(endpoints.requestFactorReset, factors.requestFactorReset),
    route(endpoints.cancelUserFactorReset, factors.cancelUserFactorReset),
    route(endpoints.passkeySignInOptions, passkeys.passkeySignInOptions),
    route(endpoints.passkeySignIn, passkeys.passkeySignIn),
    route(endpoints.passkeyConfirmOptions, passkeys.passkeyConfirmOptions),
    route(endpoints.confirmPasskey, passkeys.confirmPasskey),
    route(endpoints.passkeyOptions, passkeys.passkeyOptions),
    route(endpoints.addPasskey, passkeys.addPasskey),
    route(endpoints.renamePasskey, passkeys.renamePasskey),
    route(endpoints.removePasskey, passkeys.removePasskey),

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
    route(endpoints.findOrder, (ctx, input) => orders.findOrder(ctx, input, chainReads)),
    route(endpoints.reportOrderTransaction, orders.reportOrderTransaction),
    route(endpoints.cancelOrder, orders.cancelOrder),
    route(endpoints.quoteCoupon, coupons.quoteCoupon),
    route(endpoints.redeemCoupon, coupons.redeemCoupon, 'lease'),
    route(endpoints.listCoupons, adminCoupons.listCoupons),
    route(endpoints.createCoupon, adminCoupons.createCoupon),
    route(endpoints.endCoupon, adminCoupons.endCoupon),
    route(endpoints.grantPlan, adminCoupons.grantPlan),
    route(endpoints.activeSubscription, subscriptions.activeSubscription),
    route(endpoints.findReceipt, findReceipt),
    route(endpoints.extendSubscription, extendSubscription),
    route(endpoints.cancelSubscription, cancelSubscription),

    createEncodedRoute(endpoints.recentAlerts, alerts.recentAlerts),
    route(endpoints.publicAlerts, publicAlerts),
    route(endpoints.alertSignal, alertSignal),
    route(endpoints.alertSignals, alertSignals),
    route(endpoints.alertProgress, market.alertProgress),
    route(endpoints.livePrices, market.livePrices),
    route(endpoints.marketCandles, market.marketCandles),
    route(endpoints.alertBundle, alertBundle),
    route(endpoints.alertAt, sharing.alertAt),
    route(endpoints.openSharedAlert, sharing.openSharedAlert),
    route(endpoints.shareAlert, sharing.shareAlert),
    route(endpoints.endShares, sharing.endShares),
    route(endpoints.alertPulse, createAlertPulse()),
    createEncodedRoute(endpoints.userAlerts, alerts.userAlerts),
    createEncodedRoute(endpoints.searchAlerts, alertLists.searchAlerts),
    route(endpoints.alertFacets, alertLists.alertFacets),
    route(endpoints.unreadAlerts, alertLists.unreadAlerts),
    streamRoute(endpoints.exportAlertsCsv, exports.csv),
    streamRoute(endpoints.exportAlertsJson, exports.json),
    route(endpoints.markAllRead, alertLists.markAllRead),
    route(endpoints.unmarkAllRead, alertLists.unmarkAllRead),
    route(endpoints.markAlertsRead, alerts.markAlertsRead),
    route(endpoints.verifyAlert, alerts.verifyAlert),
    createEncodedRoute(endpoints.listAlerts, adminAlerts.listAlerts),
    route(endpoints.createAlert, (ctx, input) => adminAlerts.createAlert(ctx, input, issueAlert), 'own transaction'),
    route(endpoints.correctAlert, (ctx, input) => adminAlerts.correctAlert(ctx, input, issueAlert), 'own transaction'),
    route(endpoints.retractAlert, (ctx, input) => adminAlerts.retractAlert(ctx, input, issueAlert), 'own transaction'),
    route(endpoints.broadcastAlert, adminAlerts.broadcastAlert),

    route(endpoints.listScheduledAlerts, schedule.listScheduledAlerts),
    route(endpoints.scheduleAlert, schedule.scheduleAlert),
    route(endpoints.changeScheduledAlert, schedule.changeScheduledAlert),
    route(endpoints.cancelScheduledAlert, schedule.cancelScheduledAlert),

    route(endpoints.adminStats, (ctx, input) => system.adminStats(ctx, input, alertFigures)),
    addEntityTag(
      route(endpoints.systemStatus, (ctx, input) =>
        system.systemStatus(ctx, input, { ...running, alertFigures, trackRecords }),
      ),
    ),
    route(endpoints.listUsers, users.listUsers),
    route(endpoints.countUsers, users.countUsers),
    route(endpoints.findUser, users.findUser),
    route(endpoints.listUserTimeline, listUserTimeline),
    streamRoute(endpoints.exportUsers, users.exportUsers),
    route(endpoints.suspendUser, users.suspendUser),
    route(endpoints.unsuspendUser, users.unsuspendUser),
    route(endpoints.endUserSessions, users.endUserSessions),
    route(endpoints.endUserSession, users.endUserSession),
    route(endpoints.changeRole, users.changeRole),
    route(endpoints.pageAlerts, adminAlerts.pageAlerts),
    route(endpoints.countRecipients, (ctx, input) => adminAlerts.countRecipients(ctx, input, running.countListening)),
    route(endpoints.adminSystem, (ctx, input) => adminSystem(ctx, input, running)),
    route(endpoints.adminInstances, adminInstances),
    readFromReplica(route(endpoints.businessRevenue, business.businessRevenue), replica),
    readFromReplica(route(endpoints.businessCustomers, business.businessCustomers), replica),
    readFromReplica(route(endpoints.businessReach, business.businessReach), replica),
    readFromReplica(route(endpoints.businessHealth, business.businessHealth), replica),
    route(endpoints.businessTreasury, business.businessTreasury),
    route(endpoints.saveRate, business.saveRate),
    route(endpoints.listPayments, allPayments.listPayments),
    route(endpoints.exportPayments, allPayments.exportPayments),
    route(endpoints.listUnmatchedPayments, ledger.listUnmatchedPayments),
    route(endpoints.resolveUnmatchedPayment, ledger.resolveUnmatchedPayment),
    route(endpoints.recordRefund, ledger.recordRefund),
    route(endpoints.listAdminOrders, ledger.listAdminOrders),
    route(endpoints.resolveOrder, ledger.resolveOrder),
    route(endpoints.findReconciliation, ledger.findReconciliation),
    route(endpoints.startReconciliation, ledger.startReconciliation),
    route(endpoints.findFeedConfig, feed.findFeedConfig),
    route(endpoints.saveFeedConfig, feed.saveFeedConfig),
    route(endpoints.testFeed, feed.testFeed),
    route(endpoints.findEngineStatus, feed.findEngineStatus),
    route(endpoints.listRefusedSignals, feed.listRefusedSignals),
    route(endpoints.findProtectedState, protectedSettings.findProtectedState),
    route(endpoints.proposeChange, protectedSettings.proposeChange),
    route(endpoints.approveChange, protectedSettings.approveChange),
    route(endpoints.cancelChange, protectedSettings.cancelChange),
    route(endpoints.listAnnouncedChanges, protectedSettings.listAnnouncedChanges),
    route(endpoints.listOwnSecurityEvents, security.listOwnSecurityEvents),
    streamRoute(endpoints.exportOwnSecurityEvents, security.exportOwnSecurityEvents),
    route(endpoints.listSecurityEvents, security.listSecurityEvents),
    streamRoute(endpoints.exportSecurityEvents, security.exportSecurityEvents),
    route(endpoints.findAnnouncements, findAnnouncements),
    route(endpoints.listAnnouncements, adminOutreach.listAnnouncements),
    route(endpoints.createAnnouncement, adminOutreach.createAnnouncement),
    route(endpoints.endAnnouncement, adminOutreach.endAnnouncement),
    route(endpoints.previewMessage, adminOutreach.previewMessage),
    route(endpoints.listMessages, adminOutreach.listMessages),
    route(endpoints.createMessage, adminOutreach.createMessage),
    route(endpoints.cancelMessage, adminOutreach.cancelMessage),
    route(endpoints.listAudit, audit.listAudit),
    streamRoute(endpoints.exportAudit, audit.exportAudit),
    addEntityTag(route(endpoints.logHead, tlog.logHead)),
    addEntityTag(createSharedRoute(endpoints.logCheckpoint, tlog.logCheckpoint)),
    route(endpoints.logConsistency, tlog.logConsistency),
    route(endpoints.logInclusion, tlog.logInclusion),
    route(endpoints.logEntries, tlog.logEntries),
    route(endpoints.logAnchors, tlog.logAnchors),
    route(endpoints.logKeys, tlog.logKeys),
    route(endpoints.logStats, readLogStats),
    route(endpoints.logMessages, record.logMessages),
    route(endpoints.logMessage, record.logMessage),
    route(endpoints.logCandles, record.logCandles),
    route(endpoints.trackRecord, (ctx, input) => record.trackRecord(ctx, input, trackRecords)),
    route(endpoints.trackRecordAlerts, (ctx, input) => record.trackRecordAlerts(ctx, input, trackRecords)),
    streamRoute(endpoints.exportTrackRecord, (ctx, input) => record.exportTrackRecord(ctx, input, trackRecords)),
    route(endpoints.findPreferences, preferences.findPreferences),
    route(endpoints.savePreferences, preferences.savePreferences),
    route(endpoints.listAlertViews, views.listAlertViews),
    route(endpoints.createAlertView, views.createAlertView),
    route(endpoints.changeAlertView, views.changeAlertView),
    route(endpoints.deleteAlertView, views.deleteAlertView),
    route(endpoints.listDestinations, channels.listDestinations),
    route(endpoints.createDestination, channels.createDestination),
    route(endpoints.changeDestination, channels.changeDestination),
    route(endpoints.renewPush, channels.renewPush),
    route(endpoints.changeAllDestinations, channels.changeAllDestinations),
    route(endpoints.setEscalation, channels.setEscalation),
    route(endpoints.previewRules, channels.previewRules),
    route(endpoints.listAcknowledgements, channels.listAcknowledgements),
    route(endpoints.acknowledgeAlert, channels.acknowledgeAlert),
    route(endpoints.acknowledgeByLink, channels.acknowledgeByLink),
    route(endpoints.unsubscribe, channels.unsubscribe),
    route(endpoints.deleteDestination, channels.deleteDestination),
    route(endpoints.confirmDestination, channels.confirmDestination),
    route(endpoints.testDestination, channels.testDestination),
    route(endpoints.rotateDestinationSecret, channels.rotateDestinationSecret),
    route(endpoints.findPrivateFeed, syndication.findPrivateFeed),
    route(endpoints.createPrivateFeed, syndication.createPrivateFeed),
    route(endpoints.revokePrivateFeed, syndication.revokePrivateFeed),
    route(endpoints.adminChannels, adminChannels.adminChannels),
    route(endpoints.testTelegramBot, adminChannels.testTelegramBot),
    route(endpoints.listChannelDeliveries, channels.listChannelDeliveries),
    route(endpoints.redeliver, channels.redeliver),
    route(endpoints.listApiKeys, apiKeys.listApiKeys),
    route(endpoints.createApiKey, apiKeys.createApiKey),
    route(endpoints.revokeApiKey, apiKeys.revokeApiKey),
    route(endpoints.listLetters, supportMessages.listSupportMessages),
    route(endpoints.findLetter, supportMessages.findSupportMessage),
    route(endpoints.answerLetter, supportMessages.replyToSupportMessage),
    route(endpoints.noteLetter, supportMessages.noteSupportMessage),
    route(endpoints.changeLetter, supportMessages.changeSupportMessage),
    route(endpoints.contactSupport, createContactSupport()),
    addEntityTag(createCachedRoute(endpoints.chainConfig, 'settings', settings.chainConfig)),
    route(endpoints.findChainSetting, settings.findChainSetting),
    route(endpoints.changeChain, settings.changeChain),
    route(endpoints.readChain, (ctx, input) => readChain(ctx, input, chainReads)),
    addEntityTag(createCachedRoute(endpoints.publicConfig, 'settings', publicConfig)),
  ]
}
