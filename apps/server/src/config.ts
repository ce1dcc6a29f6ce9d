import type { Address, Hex } from '@tocsin/proof'

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
  }
  databaseUrl: string
  payment: {
    chainId: number
    rpcUrls: string[]
    token: Address
    treasury: Address
    confirmations: number
    /** A payment older than this is not accepted any more. */
    maxAgeHours: number
  }
  anchor: {
    chainId: number
    rpcUrl: string
    contract: Address
    key: Hex
    intervalSeconds: number
  }
  signerKey: Hex
  /** 32 bytes or more: keys for what is encrypted at rest are derived from it. */
  appSecret: string
  mail: { smtpUrl: string | null; from: string; supportEmail: string | null; outboxDir: string }
  feed: { allowPrivate: boolean; endpoint: string | null; apiKey: string | null }
  /** Used only while no admin exists. */
  firstAdmin: { email: string; password: string } | null
  publicDelayHours: number
  metricsToken: string | null
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}
