import fastifyCookie from '@fastify/cookie'
import { type ConfigOverrides, createTestContext, type FakeClock, fakeClock, testConfig } from '@tocsin/testkit'
import type { Context, Mail } from '../src/context.ts'
import { createApp } from '../src/http/app.ts'
import { findFreePort } from '../src/http/free-port.ts'
import { createRoutes } from '../src/routes.ts'
import { findActor } from './support/find-actor.ts'

export interface SignInSite {
  url: string
  ctx: Context
  clock: FakeClock
  /** All emails sent so far. */
  mails: readonly Mail[]
  stop(): Promise<void>
}

/**
 * Serves all calls on a free port with a real database, for tests of sign-in methods. The clock
 * advances only when a test advances it.
 */
export async function startSignInSite(databaseUrl: string, overrides: ConfigOverrides = {}): Promise<SignInSite> {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const clock = fakeClock()
  const config = testConfig({ databaseUrl, ...overrides, http: { publicUrl: url, trustedProxies: 1 } })
  const { ctx, mails, close } = await createTestContext(config, clock)
  const refuseAlerts = () => Promise.reject(new Error('This test site issues no alerts'))
  const routes = createRoutes({ startedAt: clock.now(), countListening: async () => 0 }, refuseAlerts)
  const app = await createApp(ctx, routes, ({ headers }) =>
    findActor(ctx, fastifyCookie.parse(headers.cookie ?? '').tocsin),
  )
  await app.listen({ port, host: 'localhost' })
  return {
    url,
    ctx,
    clock,
    mails,
    async stop() {
      await app.close()
      await close()
    },
  }
}
