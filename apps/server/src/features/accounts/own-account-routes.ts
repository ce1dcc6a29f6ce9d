import type { endpoints } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { getNetwork } from '../../http/network.ts'
import { type Actor, type Handler, requireActor } from '../../http/route.ts'
import { exportReadMarks } from '../alerts/read-state.ts'
import { exportReadAlerts } from '../alerts/service.ts'
import { exportApiKeys } from '../api-keys/service.ts'
import { exportDestinations } from '../channels/service.ts'
import { exportFactors } from '../factors/service.ts'
import { listStreamReachOf } from '../live/store.ts'
import { exportOrders, exportPayments } from '../payments/service.ts'
import { exportPreferences } from '../preferences/service.ts'
import { exportSecurityEventsOf } from '../security/routes.ts'
import { getAccount } from '../sessions/account-store.ts'
import { readBrowser } from '../sessions/browser.ts'
import { listWalletsOf } from '../sessions/linked-wallets.ts'
import { exportShares } from '../sharing/service.ts'
import { exportSubscriptions } from '../subscriptions/service.ts'
import { listMessagesOfAccount } from '../support/store.ts'
import { exportPrivateFeed } from '../syndication/private-feed.ts'
import { exportViews } from '../views/service.ts'
import { requestEmailChange } from './change-email.ts'
import { withConstantTime } from './constant-time.ts'
import { listIdentities } from './identity-store.ts'
import * as ownAccount from './own-account.ts'
import { presentAccount, presentActivity, presentSession } from './present.ts'
import { findPendingEmail, listActivities } from './store.ts'

type Endpoints = typeof endpoints

/** Exports of other features' data about an account, for the account export. */
const accountExports = {
  subscriptions: exportSubscriptions,
  payments: exportPayments,
  orders: exportOrders,
  readAlerts: exportReadAlerts,
  readMarks: exportReadMarks,
  receivedCriticalAlerts: ({ db }: Context, accountId: string) => listStreamReachOf(db, accountId),
  preferences: exportPreferences,
  alertViews: exportViews,
  shares: exportShares,
  destinations: exportDestinations,
  feeds: exportPrivateFeed,
  apiKeys: exportApiKeys,
  factors: exportFactors,
  securityEvents: exportSecurityEventsOf,
  supportMessages: ({ db }: Context, accountId: string) => listMessagesOfAccount(db, accountId),
}

export const findAccount: Handler<Endpoints['findAccount']> = async (ctx, input) => {
  return loadProfile(ctx, requireActor(input))
}

export const changeName: Handler<Endpoints['changeName']> = async (ctx, input) => {
  await ownAccount.changeName(ctx, requireActor(input), input.body.name)
  return { success: true, message: 'Your name has been changed.' }
}

export const changeEmail: Handler<Endpoints['changeEmail']> = async (ctx, input) => {
  const actor = requireActor(input)
  await withConstantTime(() => requestEmailChange(ctx, actor, input.body.email, getNetwork(input.request.ip)))
  return { success: true, message: 'Check your email: open the link that we have sent to the new address.' }
}

export const changePassword: Handler<Endpoints['changePassword']> = async (ctx, input) => {
  const browser = readBrowser(ctx, input.request)
  const renewedSession = await ownAccount.changePassword(ctx, requireActor(input), input.body, browser)
  renewedSession.setCookie(input.reply)
  return { success: true, message: 'Your password has been changed, and all other sessions have ended.' }
}

export const listSessions: Handler<Endpoints['listSessions']> = async (ctx, input) => {
  const actor = requireActor(input)
  return (await ownAccount.listSessions(ctx, actor)).map((session) => presentSession(ctx, session, actor))
}

export const endSession: Handler<Endpoints['endSession']> = async (ctx, input) => {
  await ownAccount.endOneSession(ctx, requireActor(input), input.params.id)
  return { success: true, message: 'The session has ended.' }
}

export const endOtherSessions: Handler<Endpoints['endOtherSessions']> = async (ctx, input) => {
  await ownAccount.endOtherSessions(ctx, requireActor(input))
  return { success: true, message: 'All other sessions have ended.' }
}

/** Only this many of the newest activities are exported, because the export is held in memory. */
const MAX_EXPORTED_ACTIVITIES = 100_000

export const exportAccount: Handler<Endpoints['exportAccount']> = async (ctx, input) => {
  const actor = requireActor(input)
  const [account, sessions, activity] = await Promise.all([
    loadProfile(ctx, actor),
    ownAccount.listSessions(ctx, actor),
    listActivities(ctx.db, actor.accountId, { limit: MAX_EXPORTED_ACTIVITIES }),
  ])
  const exportedData: Record<string, Record<string, unknown>[]> = {}
  for (const [name, exportHeld] of Object.entries(accountExports))
    exportedData[name] = await exportHeld(ctx, actor.accountId)
  return {
    exportedAt: ctx.clock.now().toISOString(),
    account,
    sessions: sessions.map((session) => ({ ...presentSession(ctx, session, actor), userAgent: session.userAgent })),
    activity: activity.map(presentActivity),
    held: exportedData,
  }
}

export const deleteAccount: Handler<Endpoints['deleteAccount']> = async (ctx, input) => {
  await ownAccount.deleteOwnAccount(ctx, requireActor(input), input.request.id)
  return { success: true, message: 'Your account has been deleted.' }
}

async function loadProfile(ctx: Context, actor: Actor) {
  const { accountId } = actor
  const [account, pendingEmail, identities, wallets] = await Promise.all([
    getAccount(ctx.db, accountId),
    findPendingEmail(ctx.db, accountId, ctx.clock.now()),
    listIdentities(ctx.db, accountId),
    listWalletsOf(ctx.db, accountId),
  ])
  return presentAccount({ account, pendingEmail, identities, wallets }, actor)
}
