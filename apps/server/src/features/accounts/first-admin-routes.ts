import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { readBrowser } from '../sessions/browser.ts'
import { presentSignIn } from '../sessions/present.ts'
import { setSessionCookies } from '../sessions/start-session.ts'
import { consumeFirstAdminLink } from './first-admin.ts'

export const createFirstAdmin: Handler<(typeof endpoints)['createFirstAdmin']> = async (ctx, input) => {
  const signedIn = await consumeFirstAdminLink(ctx, input.body, readBrowser(ctx, input.request))
  setSessionCookies(ctx, input.reply, signedIn)
  return presentSignIn(ctx, signedIn, 'You are the first admin.')
}
