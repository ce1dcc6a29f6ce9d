import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { newDeviceMail } from '../../mail/account-mails.ts'
import type { Account } from './account-store.ts'
import type { Browser } from './browser.ts'
import { describeDevice } from './device.ts'
import { readDeviceCookie } from './known-device.ts'
import { hasSignedIn } from './store.ts'

/**
 * Notifies the owner by email of a sign-in from a browser in which the account was not used before,
 * except for the first sign-in. The email limits do not apply: an intruder could use them up first,
 * and only a successful sign-in sends this email.
 * @param method fixed text of the server: "password and passkey"
 */
export async function notifyNewDevice(
  ctx: Context,
  tx: Tx,
  { id, email, emailVerifiedAt }: Account,
  { deviceCookie, userAgent, network }: Browser,
  method: string,
): Promise<void> {
  if (!email || !emailVerifiedAt || readDeviceCookie(ctx.config, email, deviceCookie)) return
  if (!(await hasSignedIn(tx, id))) return
  const { publicUrl } = ctx.config.http
  const signIn = { device: describeDevice(userAgent), method, place: ctx.findLocation(network), at: ctx.clock.now() }
  await ctx.sendMail(tx, newDeviceMail(email, signIn, publicUrl))
}
