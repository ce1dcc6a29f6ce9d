import type { Config } from '@tocsin/server/config.ts'
import { testAnchorKey, testKey, testSignerKey, testTreasury } from './accounts.ts'

/** Partial configuration; sections may be partial too. */
export type ConfigOverrides = {
  [Name in keyof Config]?: Config[Name] extends unknown[]
    ? Config[Name]
    : Config[Name] extends object
      ? Partial<Config[Name]>
      : Config[Name]
}

/** URL of the discard port. Connections to it fail. */
const UNREACHABLE_URL = 'http://127.0.0.1:9'

/**
 * Creates a complete configuration whose URLs are unreachable by default. Pass `databaseUrl` of a
 * test database and spread the `settings` of a test chain: `testConfig({ databaseUrl,
 * ...chain.settings })`.
 */
export function testConfig(overrides: ConfigOverrides = {}): Config {
  const base: Config = {
    demo: false,
    demoMarket: null,
    version: '0.0.0-test',
    http: {
      port: 0,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      webDir: null,
      keptAssetsDir: null,
      trustedProxies: 0,
      drain: { noticeMs: 0, timeoutMs: 8_000 },
    },
    databaseUrl: 'postgres://tocsin@127.0.0.1:9/none',
    replicaUrl: null,
    databaseTimeoutSeconds: 8,
    payment: {
      chainId: 31337,
      rpcUrls: [UNREACHABLE_URL],
      token: testTreasury,
      treasury: testTreasury,
      confirmations: 1,
      maxAgeHours: 24,
    },
    tokenExchangeUrl: null,
    orders: { ttlMinutes: 30, toleranceBps: 0, treasuryKey: null, maxFeeGwei: 500 },
    otherPaymentChains: [],
    anchor: {
      chainId: 31337,
      rpcUrl: UNREACHABLE_URL,
      publicRpcUrl: null,
      contract: testTreasury,
      key: testAnchorKey,
      intervalSeconds: 1,
      heartbeatSeconds: 0,
    },
    signerKey: testSignerKey,
    signerKeyNext: null,
    logOrigin: 'log.example.com/log',
    appSecret: testKey(0x5e),
    appSecretPrevious: null,
    providers: { google: null, linkedin: null },
    walletConnect: null,
    mail: { smtpUrl: null, from: 'Tocsin <tocsin@example.com>', supportEmail: null, outboxDir: '/nonexistent' },
    telegram: null,
    push: { contact: 'mailto:operator@example.com', privateKey: null },
    channels: { allowPrivate: true },
    feed: { allowPrivate: true, endpoint: null, apiKey: null, cooldownSeconds: 30 },
    marketData: null,
    firstAdmin: null,
    adminFactor: { isRequired: false, exemptEmail: null },
    twoAdmins: { isOn: false, delayHours: 24, configured: [] },
    publicDelayHours: 24,
    shareLinkHours: 24,
    securityLog: { syslog: null, keptDays: 365 },
    auditLogDays: null,
    deliveriesDays: 30,
    supportMessagesDays: null,
    geoDatabase: null,
    breachedPasswords: null,
    resetPasswordMinLength: 6,
    metricsToken: null,
    logLevel: 'silent',
  }
  return {
    ...base,
    ...overrides,
    http: { ...base.http, ...overrides.http },
    payment: { ...base.payment, ...overrides.payment },
    orders: { ...base.orders, ...overrides.orders },
    anchor: { ...base.anchor, ...overrides.anchor },
    providers: { ...base.providers, ...overrides.providers },
    push: { ...base.push, ...overrides.push },
    mail: { ...base.mail, ...overrides.mail },
    channels: { ...base.channels, ...overrides.channels },
    feed: { ...base.feed, ...overrides.feed },
    twoAdmins: { ...base.twoAdmins, ...overrides.twoAdmins },
    securityLog: { ...base.securityLog, ...overrides.securityLog },
    adminFactor: { ...base.adminFactor, ...overrides.adminFactor },
    firstAdmin: overrides.firstAdmin === undefined ? base.firstAdmin : completeAdmin(overrides.firstAdmin),
  }
}

function completeAdmin(admin: Partial<NonNullable<Config['firstAdmin']>> | null): Config['firstAdmin'] {
  return admin && { email: admin.email ?? 'admin@example.com', password: admin.password ?? 'correct horse battery' }
}
