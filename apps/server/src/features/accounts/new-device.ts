import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { newDeviceMail } from '../../mail/account-mails.ts'
import type { Browser } from './browser.ts'
import { describeDevice } from './device.ts'
import { readDeviceCookie } from './known-device.ts'
import { type Account, hasSignedIn } from './store.ts'

/**
 * Mails the owner of a sign-in from a browser that the account was not used in before; not of the first sign-in ever. Outside of the limits on mails:
 * whoever got in could use them up first, and nobody without a way in can cause one.
 */
export async function tellOfNewDevice(
  ctx: Context,
  tx: Tx,
  { id, email, emailVerifiedAt }: Account,
  { deviceCookie, userAgent }: Browser,
): Promise<void> {
  if (!email || !emailVerifiedAt || readDeviceCookie(ctx.config, email, deviceCookie)) return
  if (!(await hasSignedIn(tx, id))) return
  const { publicUrl } = ctx.config.http
  await ctx.sendMail(tx, newDeviceMail(email, describeDevice(userAgent), ctx.clock.now(), publicUrl))
}
