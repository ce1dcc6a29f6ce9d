import type { Address, Hex } from '@tocsin/proof'
import type { IdentityProvider } from '@tocsin/protocol'

export interface ProviderConfig {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Everything the server is told from outside, complete and checked. `read-config.ts` makes it from the environment. */
export interface Config {
  demo: boolean
  version: string
  http: {
    port: number
    host: string
    /** Origin that people use, without a trailing slash: cookies, links in mails, Origin check, SIWE domain. */
    publicUrl: string
    /** Folder of the built site; null serves the API alone. */
    webDir: string | null
    /** Proxies in front of us whose X-Forwarded-For is believed. */
    trustedProxies: number
    /** How long a stopping server still accepts connections, and how long it then waits for answers. */
    drain: { noticeMs: number; timeoutMs: number }
  }
  databaseUrl: string
  /** How long one statement may take before it is cancelled. */
  databaseTimeoutSeconds: number
  payment: {
    chainId: number
    rpcUrls: string[]
    token: Address
    treasury: Address
    confirmations: number
    /** A payment older than this is not accepted any more. */
    maxAgeHours: number
  }
  orders: {
    /** How long an order's price is kept for its payment. */
    ttlMinutes: number
    /** By how many hundredths of a percent of the price a payment may fall short. */
    toleranceBps: number
    /** Of the treasury itself: with it wallets approve and the server collects. Null: wallets transfer. */
    treasuryKey: Hex | null
    /** The most that collecting may offer for a unit of gas. */
    maxFeeGwei: number
  }
  /** Chains beside the main one that payments can be verified on, so that an admin may choose them. */
  otherPaymentChains: {
    chainId: number
    rpcUrls: string[]
    token: Address
    treasury: Address
    confirmations: number
  }[]
  anchor: {
    chainId: number
    rpcUrl: string
    contract: Address
    key: Hex
    intervalSeconds: number
    /** After so many quiet seconds the log gets a heartbeat, so that it is anchored again; 0 for never. */
    heartbeatSeconds: number
  }
  signerKey: Hex
  /** Takes over when the log names it. */
  signerKeyNext: Hex | null
  /** Name under which the log signs its checkpoints. */
  logOrigin: string
  /** 32 bytes or more: keys for what is encrypted at rest are derived from it. */
  appSecret: string
  /** The one before: what it sealed is still opened, and sealed anew at start. */
  appSecretPrevious: string | null
  /** Whose word on who somebody is we take (OpenID Connect); null where none is configured. */
  providers: Record<IdentityProvider, ProviderConfig | null>
  /** Wallets on other devices; null where they are not offered. */
  walletConnect: { projectId: string; relayUrl: string } | null
  mail: { smtpUrl: string | null; from: string; supportEmail: string | null; outboxDir: string }
  feed: { allowPrivate: boolean; endpoint: string | null; apiKey: string | null; cooldownSeconds: number }
  /** Used only while no admin exists. */
  firstAdmin: { email: string; password: string } | null
  publicDelayHours: number
  metricsToken: string | null
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}
