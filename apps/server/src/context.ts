import type { Address, Hex } from '@tocsin/proof'
import type { Logger } from 'pino'
import type { ChainClient } from './chain/chain-client.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database, Queryable } from './db/database.ts'
import type { NotificationBus } from './db/notification-bus.ts'
import type { Failpoint } from './failpoint.ts'
import type { IssuedDeliveries } from './issued-deliveries.ts'
import type { QueueSecurityEvent } from './security-events.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** Further headers. */
  headers?: Record<string, string>
  /**
   * The link in the email, if its lifetime, or the delay until which it cancels a change, starts
   * when the mail server gets the email.
   */
  link?: MailedLink
}

export interface MailedLink {
  tokenHash: string
  lifetimeMs: number
}

/** A key that signs alerts. It does not expose the private key. */
export interface Signer {
  address: Address
  /** Ed25519 public key that signs checkpoints while this key signs entries. */
  checkpointKey: Hex
  signDigest(digest: Uint8Array): Hex
  /** @returns the signed note */
  signCheckpoint(text: string, origin: string): string
}

/**
 * The signing keys that this server has. The newest key list of the log names the key that signs
 * new entries.
 */
export interface Signers {
  held: readonly Signer[]
  find(address: Address): Signer | null
}

export interface PasswordHasher {
  /** @param salt 16 bytes; random if omitted */
  hash(password: string, salt?: Buffer): Promise<string>
  /**
   * Compares a password with a hash. This takes the same time if there is no hash: the password is
   * then compared with a dummy hash.
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>
}

/** Returns whether a password is in the operator's list of breached passwords. */
export type IsBreached = (password: string) => Promise<boolean>

/** @returns the location of a network, as shown to the account owner, or null if it is unknown */
export type FindLocation = (network: string | null) => string | null

/**
 * Dependencies of the features. Features cause side effects only through them, so tests can replace
 * the dependencies.
 */
export interface Context {
  config: Config
  db: Database
  clock: Clock
  logger: Logger
  notifications: NotificationBus
  /** The deliveries that this instance has committed, for its own live stream. */
  issued: IssuedDeliveries
  signers: Signers
  passwords: PasswordHasher
  /** Read access to the payment chain. */
  paymentChain: ChainClient
  /** Read access to the anchor chain. */
  anchorChain: ChainClient
  /** Queues an email in the caller's transaction. Sending it is retried for 27 to 54 hours. */
  sendMail(tx: Queryable, mail: Mail): Promise<void>
  /**
   * Sends an email to the mail server immediately, without retries. Rejects if the email was not
   * accepted. Repeated deliveries of an email have the same `id`. `mayWrite` is called before the
   * mail server gets the text. If it returns false, the email is not sent.
   */
  deliverMail(id: string, mail: Mail, mayWrite?: () => Promise<boolean>): Promise<void>
  queueSecurityEvent: QueueSecurityEvent
  isBreached: IsBreached
  /** Finds the location of a network, if the operator has configured a geo database. */
  findLocation: FindLocation
  /** A no-op except in crash tests. */
  failpoint(at: Failpoint): void
}
