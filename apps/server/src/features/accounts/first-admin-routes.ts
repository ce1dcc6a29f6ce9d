import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { readBrowser } from './browser.ts'
import { useFirstAdminLink } from './first-admin.ts'
import { presentSessionUser } from './present.ts'
import { setSessionCookies } from './start-session.ts'

export const createFirstAdmin: Handler<(typeof endpoints)['createFirstAdmin']> = async (ctx, input) => {
  const signedIn = await useFirstAdminLink(ctx, input.body, readBrowser(ctx, input.request))
  setSessionCookies(ctx, input.reply, signedIn)
  const user = presentSessionUser(signedIn.account, [], [])
  return { success: true, requiresVerification: false, message: 'You are the first admin.', user }
}
