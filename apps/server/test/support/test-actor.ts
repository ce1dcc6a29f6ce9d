import type { Actor } from '../../src/http/route.ts'

/** An actor with the role of a user, by default without permissions, second factor and wallets. */
export const testActor = (accountId: string, change: Partial<Actor> = {}): Actor => ({
  sessionId: accountId,
  sessionIdHash: accountId,
  accountId,
  email: null,
  name: 'someone',
  role: 'user',
  permissions: [],
  hasFactor: false,
  mustEnrol: false,
  provedWallets: [],
  authenticatedAt: new Date(0),
  sessionEndsAt: new Date(8.64e15),
  ...change,
})
