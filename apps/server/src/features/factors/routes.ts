import type { AccountFactors, endpoints } from '@tocsin/protocol'
import { getAuditActor } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { type Actor, type Handler, requireActor } from '../../http/route.ts'
import { readBrowser } from '../sessions/browser.ts'
import { presentSignIn } from '../sessions/present.ts'
import { mustEnrol } from '../sessions/second-factor.ts'
import { createStaffAction } from '../sessions/staff-action.ts'
import { setSessionCookies } from '../sessions/start-session.ts'
import * as enrolment from './enrolment-code.ts'
import * as resets from './reset.ts'
import * as service from './service.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

export const completeSignIn: Handler<Endpoints['completeSignIn']> = async (ctx, { body, request, reply }) => {
  const session = await service.completeWithCode(ctx, body.code, readBrowser(ctx, request))
  setSessionCookies(ctx, reply, session)
  return presentSignIn(ctx, session)
}

export const confirmFactor: Handler<Endpoints['confirmFactor']> = async (ctx, input) => {
  const browser = readBrowser(ctx, input.request)
  const session = await service.confirmWithCode(ctx, requireActor(input), input.body.code, browser)
  session.setCookie(input.reply)
  return { success: true, message: 'Confirmed' }
}

export const findFactors: Handler<Endpoints['findFactors']> = (ctx, input) => loadFactors(ctx, requireActor(input))

async function loadFactors(ctx: Context, actor: Actor): Promise<AccountFactors> {
  const { accountId } = actor
  const [totp, passkeys, codes, resetDueAt, needsCode] = await Promise.all([
    store.findTotp(ctx.db, accountId),
    store.listPasskeys(ctx.db, accountId),
    store.listRecoveryCodes(ctx.db, accountId),
    resets.findResetDueAt(ctx.db, accountId),
    enrolment.needsEnrolmentCode(ctx.db, actor),
  ])
  return {
    totp: totp?.confirmedAt
      ? { addedAt: totp.confirmedAt.toISOString(), lastUsedAt: totp.lastUsedAt?.toISOString() ?? null }
      : null,
    passkeys: passkeys.map(({ id, name, backedUp, createdAt, lastUsedAt }) => ({
      id,
      name,
      backedUp,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    recoveryCodesLeft: codes.length,
    isRequired: mustEnrol(ctx.config, actor, false),
    needsEnrolmentCode: needsCode,
    resetDueAt: resetDueAt?.toISOString() ?? null,
  }
}

export const useEnrolmentCode: Handler<Endpoints['useEnrolmentCode']> = async (ctx, input) => {
  await enrolment.consumeEnrolmentCode(ctx, requireActor(input), input.body.code)
  return { success: true, message: 'Now set up a second factor.' }
}

export const issueEnrolmentCode: Handler<Endpoints['issueEnrolmentCode']> = async (ctx, input) => {
  const enrolmentCode = await enrolment.issueCodeFor(ctx, createStaffAction(input))
  return { success: true, message: 'Hand the code over in person or by phone.', enrolmentCode }
}

export const startTotp: Handler<Endpoints['startTotp']> = (ctx, input) =>
  service.startTotpEnrolment(ctx, requireActor(input))

export const confirmTotp: Handler<Endpoints['confirmTotp']> = async (ctx, input) => {
  const { recoveryCodes, session } = await service.confirmTotp(ctx, requireActor(input), input.body.code)
  session.setCookie(input.reply)
  return { success: true, message: 'Your authenticator app is set up.', recoveryCodes }
}

export const removeTotp: Handler<Endpoints['removeTotp']> = async (ctx, input) => {
  await service.removeTotp(ctx, requireActor(input), getAuditActor(input))
  return { success: true, message: 'Your authenticator app was removed, and all other sessions have ended.' }
}

export const replaceRecoveryCodes: Handler<Endpoints['replaceRecoveryCodes']> = async (ctx, input) => ({
  success: true,
  message: 'Your former recovery codes no longer work.',
  recoveryCodes: await service.replaceRecoveryCodes(ctx, requireActor(input)),
})

export const cancelFactorReset: Handler<Endpoints['cancelFactorReset']> = async (ctx, { body }) => {
  await resets.cancelResetByLink(ctx, body.token)
  return {
    success: true,
    message: 'The removal of your second factors was cancelled. Change your password if you did not request it.',
  }
}

export const cancelOwnFactorReset: Handler<Endpoints['cancelOwnFactorReset']> = async (ctx, input) => {
  const { accountId, permissions } = requireActor(input)
  await resets.cancelResetOf(ctx, getAuditActor(input), accountId, permissions)
  return { success: true, message: 'Your second factors stay.' }
}

export const requestFactorReset: Handler<Endpoints['requestFactorReset']> = async (ctx, input) => {
  await resets.requestReset(ctx, { ...createStaffAction(input), reason: input.body.reason })
  return {
    success: true,
    message:
      'The owner is warned by email and can cancel the removal. The second factors will be removed 24 hours after this email was sent.',
  }
}

export const cancelUserFactorReset: Handler<Endpoints['cancelUserFactorReset']> = async (ctx, input) => {
  await resets.cancelResetOf(ctx, getAuditActor(input), input.params.id, requireActor(input).permissions)
  return { success: true, message: 'The second factors stay.' }
}
