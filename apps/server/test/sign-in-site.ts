import fastifyCookie from '@fastify/cookie'
import { endpoints } from '@tocsin/protocol'
import { type ConfigOverrides, createTestContext, type FakeClock, fakeClock, testConfig } from '@tocsin/testkit'
import type { Context } from '../src/context.ts'
import { findFreePort } from '../src/embedded/free-port.ts'
import * as providers from '../src/features/accounts/provider-routes.ts'
import { renewSession } from '../src/features/accounts/renew-session.ts'
import * as accounts from '../src/features/accounts/routes.ts'
import { findActor } from '../src/features/accounts/service.ts'
import { createWalletAccounts } from '../src/features/accounts/wallet-accounts.ts'
import { removeWayIn } from '../src/features/accounts/ways-in.ts'
import * as wallets from '../src/features/wallets/routes.ts'
import { listWallets } from '../src/features/wallets/service.ts'
import { createApp } from '../src/http/app.ts'
import { route } from '../src/http/route.ts'

export interface SignInSite {
  url: string
  ctx: Context
  clock: FakeClock
  stop(): Promise<void>
}

/** Every way to sign in, served on a free port over a real database; the clock stands still. */
export async function startSignInSite(databaseUrl: string, overrides: ConfigOverrides = {}): Promise<SignInSite> {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const clock = fakeClock()
  const config = testConfig({ databaseUrl, ...overrides, http: { publicUrl: url, trustedProxies: 1 } })
  const { ctx, close } = await createTestContext(config, clock)
  const walletAccounts = createWalletAccounts(listWallets)
  const routes = [
    route(endpoints.register, accounts.register),
    route(endpoints.login, (context, input) => accounts.login(context, input, listWallets)),
    route(endpoints.currentUser, (context, input) => accounts.currentUser(context, input, listWallets)),
    route(endpoints.confirm, accounts.confirm),
    route(endpoints.googleSignIn, providers.googleSignIn),
    route(endpoints.googleCallback, providers.googleCallback),
    route(endpoints.linkedinSignIn, providers.linkedinSignIn),
    route(endpoints.linkedinCallback, providers.linkedinCallback),
    route(endpoints.unlinkIdentity, providers.unlinkIdentity),
    route(endpoints.walletSignInChallenge, (context, input) =>
      wallets.walletSignInChallenge(context, input, walletAccounts),
    ),
    route(endpoints.walletSignIn, (context, input) => wallets.walletSignIn(context, input, walletAccounts)),
    route(endpoints.createChallenge, wallets.createChallenge),
    route(endpoints.proveWallet, (context, input) => wallets.proveWallet(context, input, renewSession)),
    route(endpoints.confirmWallet, (context, input) => wallets.confirmWallet(context, input, renewSession)),
    route(endpoints.unlinkWallet, (context, input) => wallets.unlinkWallet(context, input, removeWayIn)),
  ]
  const app = await createApp(ctx, routes, ({ headers }) =>
    findActor(ctx, fastifyCookie.parse(headers.cookie ?? '').tocsin),
  )
  await app.listen({ port, host: 'localhost' })
  return {
    url,
    ctx,
    clock,
    async stop() {
      await app.close()
      await close()
    },
  }
}
