export {
  testAccount,
  testAnchorer,
  testAnchorKey,
  testKey,
  testSignerKey,
  testTreasury,
} from './accounts.ts'
export { type Purchase, signUpAndBuy } from './buyer.ts'
export { startTestChain, type TestChain, type TestWallet, waitForReceipt } from './chain.ts'
export { killOnExit, waitForOutput } from './child-process.ts'
export { ApiError, createTestClient, type TestClient } from './client.ts'
export { type FakeClock, fakeClock } from './clock.ts'
export { compareTimes } from './compare-times.ts'
export { type ConfigOverrides, testConfig } from './config.ts'
export { createTestContext, type TestContext } from './context.ts'
export { shareTestDatabase, startTestDatabase, type TestDatabase } from './database.ts'
export {
  startIdentityProvider,
  type TestIdentityProvider,
  type TestPerson,
  type TestProviderOptions,
  type TestToken,
} from './identity-provider.ts'
export { productionEnv } from './production-env.ts'
export { startTestSession } from './session.ts'
export { openSocketPair } from './socket-pair.ts'
export { addSubscriber, addSubscription } from './subscriber.ts'
export { startPortProxy, startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
