import type { Address, Hex } from '@tocsin/proof'
import type { IdentityProvider } from '@tocsin/protocol'

/** A syslog receiver (RFC 5424). */
export interface SyslogTarget {
  protocol: 'udp' | 'tcp' | 'tls'
  host: string
  port: number
}

export interface ProviderConfig {
  issuer: string
  clientId: string
  clientSecret: string
}

/** The complete, validated configuration. `read-config.ts` builds it from the environment. */
export interface Config {
  demo: boolean
  /** Source of the demo's trades. Null outside of a demo. */
  demoMarket: 'simulated' | 'live' | null
  version: string
  http: {
    port: number
    host: string
    /**
     * Public origin without a trailing slash, for cookies, links in emails, the Origin check and
     * the SIWE domain.
     */
    publicUrl: string
    /** Folder of the built web app. With null, only the API is served. */
    webDir: string | null
    /**
     * Folder in which the scripts of former builds are stored for a day. With null, they are not
     * stored.
     */
    keptAssetsDir: string | null
    /**
     * Number of trusted proxies in front of the server. Determines which address of X-Forwarded-For
     * is used.
     */
    trustedProxies: number
    /**
     * How long a stopping server still accepts connections, and how long it then waits for
     * responses.
     */
    drain: { noticeMs: number; timeoutMs: number }
  }
  databaseUrl: string
  /** URL of a streaming replica for reads that may be outdated, or null. */
  replicaUrl: string | null
  /** Statement timeout. */
  databaseTimeoutSeconds: number
  payment: {
    chainId: number
    rpcUrls: string[]
    token: Address
    treasury: Address
    confirmations: number
    /** Maximum age of a payment that is credited automatically. */
    maxAgeHours: number
  }
  /** Page where users can get the token, or null. */
  tokenExchangeUrl: string | null
  orders: {
    /** How long an order and its price are valid. */
    ttlMinutes: number
    /** Allowed underpayment in basis points of the price. */
    toleranceBps: number
    /**
     * Private key of the treasury. If set, a wallet approves the amount and the server collects it.
     * With null, the wallet transfers the amount itself.
     */
    treasuryKey: Hex | null
    /** Maximum fee per unit of gas of the transactions that collect approved payments. */
    maxFeeGwei: number
  }
  /** Additional chains on which payments can be verified and that an admin can select. */
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
    /** URL of a node for visitors' browsers, or null. */
    publicRpcUrl: string | null
    contract: Address
    key: Hex
    intervalSeconds: number
    /**
     * Seconds without an entry before the log gets a heartbeat, so that it is anchored again; 0
     * disables it.
     */
    heartbeatSeconds: number
  }
  signerKey: Hex
  /**
   * The next signing key. The server uses it as soon as the newest key list of the log names it.
   */
  signerKeyNext: Hex | null
  /** Name of the log in its signed checkpoints. */
  logOrigin: string
  /** At least 32 bytes. The keys for encryption at rest are derived from it. */
  appSecret: string
  /**
   * Previous secret. Data encrypted with it can still be decrypted, and is re-encrypted at startup.
   */
  appSecretPrevious: string | null
  /** OpenID Connect providers; null if not configured. */
  providers: Record<IdentityProvider, ProviderConfig | null>
  /** WalletConnect settings; null disables it. */
  walletConnect: { projectId: string; relayUrl: string } | null
  mail: { smtpUrl: string | null; from: string; supportEmail: string | null; outboxDir: string }
  /** The operator's bot. Null if no bot is configured. */
  telegram: { token: string; apiRoot: string } | null
  /**
   * Web push. `contact` is a `mailto:` or `https:` URL. `privateKey` has 32 bytes in hex; null
   * means that the server generates a key and stores it.
   */
  push: { contact: string; privateKey: string | null }
  /** `allowPrivate`: users may enter destinations with private addresses. */
  channels: { allowPrivate: boolean }
  feed: { allowPrivate: boolean; endpoint: string | null; apiKey: string | null; cooldownSeconds: number }
  /** The operator's source of live prices. Null if it is not configured. */
  marketData: { url: string; key: string | null } | null
  /** Used only while there is no admin. */
  firstAdmin: { email: string; password: string } | null
  /**
   * Determines whether admins need a second factor. The admin whose password the demo prints is
   * exempt, so that a visitor can try the admin area.
   */
  adminFactor: { isRequired: boolean; exemptEmail: string | null }
  /**
   * The two-admin rule: a second admin must approve a change of payment chain, treasury or signing
   * key, and the change takes effect after `delayHours`. If the rule is on, `payment` and
   * `otherPaymentChains` of a running server have the approved values. `configured` has those of
   * the environment.
   */
  twoAdmins: { isOn: boolean; delayHours: number; configured: { chainId: number; treasury: Address }[] }
  publicDelayHours: number
  /** How long a shared link shows an alert that is not public yet; 0 disables sharing. */
  shareLinkHours: number
  /** Receiver of security events, and number of days for which they are stored. */
  securityLog: { syslog: SyslogTarget | null; keptDays: number }
  /** Days for which audit entries are stored. With null, they are never deleted. */
  auditLogDays: number | null
  /** Days for which the delivery ledger is stored. */
  deliveriesDays: number
  /**
   * Days for which support messages that need no reply are stored. With null, they are never
   * deleted.
   */
  supportMessagesDays: number | null
  /** Path of a database in MaxMind's format that maps networks to locations, or null. */
  geoDatabase: string | null
  /** Path of a list of breached passwords, ordered by SHA-1, or null. */
  breachedPasswords: string | null
  /** Minimum length in Unicode code points, for accounts without admin rights. */
  resetPasswordMinLength: number
  metricsToken: string | null
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}
