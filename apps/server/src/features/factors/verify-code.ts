import { randomBytes } from 'node:crypto'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { recoveryCodeUsedMail, wrongCodesMail } from '../../mail/factor-mails.ts'
import { Refusal } from '../../refusal.ts'
import { openSecret, UnreadableSecretError } from '../../sealed-secret.ts'
import { type Account, getAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { consumeAttempts, createCredentialLimits, refundAttempts, refundIfUnchecked } from '../sessions/limits.ts'
import { normalizeCode } from './recovery-code.ts'
import * as store from './store.ts'
import { verifyTotp } from './totp.ts'

/**
 * Number of wrong codes within a day at which the account owner gets a warning by email. Owners
 * rarely mistype that often, and the person who enters the codes has already used the password,
 * another sign-in method, or the mailbox.
 */
const WARN_AT_TRIES = 5

/** Returns the additional data for the secret of an authenticator app, see `sealSecret`. */
export const totpAad = (accountId: string) => `authenticator app ${accountId}`

/** A correct code that has not been consumed. */
export interface CheckedCode {
  /** The factor as shown to the owner. */
  factor: string
  /** @throws Refusal code_wrong if a concurrent call has consumed the code */
  consume(tx: Tx): Promise<void>
}

interface FoundCode {
  factor: string
  /** Returns false if a concurrent call has consumed the code. */
  consume(tx: Tx): Promise<boolean>
}

/**
 * Verifies a code of the authenticator app or a recovery code. Wrong codes count against the
 * account and the network. The owner's known devices have a separate count, so that strangers
 * cannot lock the owner out. The caller consumes the code in the transaction of its change, so that
 * a refused change does not use up the code.
 * @throws Refusal code_wrong, too_many_requests, app_unreadable
 */
export async function checkFactorCode(
  ctx: Context,
  accountId: string,
  enteredCode: string,
  browser: Browser,
): Promise<CheckedCode> {
  const account = await getAccount(ctx.db, accountId)
  const limits = createCredentialLimits(ctx.config, 'factor', account, browser)
  const tries = await consumeAttempts(ctx, limits)
  const code = normalizeCode(enteredCode)
  const matchingFactor = await refundIfUnchecked(ctx, limits, () =>
    /^\d{6}$/.test(code) ? findTotpCode(ctx, accountId, code) : findRecoveryCode(ctx, account, code),
  )
  if (matchingFactor === null) {
    if (tries === WARN_AT_TRIES && account.email && account.emailVerifiedAt) {
      const mail = wrongCodesMail(account.email, ctx.clock.now(), ctx.config.http.publicUrl)
      await ctx.db.transaction((tx) => ctx.sendMail(tx, mail))
    }
    throw refuseCode(ctx, accountId, browser)
  }
  await refundAttempts(ctx, limits)
  return {
    factor: matchingFactor.factor,
    async consume(tx) {
      if (!(await matchingFactor.consume(tx))) throw refuseCode(ctx, accountId, browser)
    },
  }
}

function refuseCode(ctx: Context, accountId: string, { network }: Browser): Refusal {
  const at = ctx.clock.now()
  ctx.queueSecurityEvent({ at, category: 'sign-in', kind: 'factor_failed', accountId, network, detail: 'Wrong code' })
  return new Refusal('code_wrong', 'This code is wrong or was already used.')
}

/**
 * Decrypts the secret of an authenticator app. Returns null if it was encrypted with an APP_SECRET
 * that was lost.
 */
export function openTotpSecret(ctx: Context, accountId: string, sealedSecret: string): string | null {
  try {
    return openSecret(ctx.config, totpAad(accountId), sealedSecret)
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    ctx.logger.warn({ accountId }, 'the secret of an authenticator app can’t be decrypted with APP_SECRET')
    return null
  }
}

const APP_UNREADABLE =
  'This site can no longer check codes of your authenticator app. Use a recovery code or a passkey, or ask an owner of this site to reset your second factors.'

async function findTotpCode(ctx: Context, accountId: string, code: string): Promise<FoundCode | null> {
  const totpFactor = await store.findTotp(ctx.db, accountId)
  if (!totpFactor?.confirmedAt) return null
  const now = ctx.clock.now()
  const secret = openTotpSecret(ctx, accountId, totpFactor.sealedSecret)
  if (secret === null) throw new Refusal('app_unreadable', APP_UNREADABLE)
  const timeStep = verifyTotp(secret, code, now, totpFactor.lastStep)
  if (timeStep === null) return null
  return { factor: 'authenticator app', consume: (tx) => store.consumeStep(tx, accountId, timeStep, now) }
}

async function findRecoveryCode(
  ctx: Context,
  { id, email, emailVerifiedAt }: Account,
  code: string,
): Promise<FoundCode | null> {
  const codes = await store.listRecoveryCodes(ctx.db, id)
  const salt = Buffer.from(codes[0]?.salt ?? randomBytes(16))
  const codeHash = await ctx.passwords.hash(code, salt)
  const foundCode = codes.find((candidate) => candidate.codeHash === codeHash)
  if (!foundCode) return null
  const consume = async (tx: Tx) => {
    if (!(await store.consumeRecoveryCode(tx, foundCode.id))) return false
    const at = ctx.clock.now()
    const codesLeft = codes.length - 1
    await recordActivity(tx, { accountId: id, kind: 'recovery_code_used', detail: `${codesLeft} left`, at })
    if (email && emailVerifiedAt)
      await ctx.sendMail(tx, recoveryCodeUsedMail(email, { left: codesLeft, at }, ctx.config.http.publicUrl))
    return true
  }
  return { factor: 'recovery code', consume }
}
