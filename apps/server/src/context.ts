import type { Address, Hex } from '@tocsin/proof'
import type { Logger } from 'pino'
import type { ChainClient } from './chain/chain-client.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database, Queryable } from './db/database.ts'
import type { Wake } from './db/wake.ts'
import type { Failpoint } from './failpoint.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** A key that states alerts. Nothing else of the product sees it. */
export interface Signer {
  address: Address
  /** Ed25519 public key that signs checkpoints while this key signs entries. */
  checkpointKey: Hex
  signDigest(digest: Uint8Array): Hex
  /** @returns the signed note */
  signCheckpoint(text: string, origin: string): string
}

/** The keys that this server holds. Which of them signs is what the log names. */
export interface Signers {
  held: readonly Signer[]
  find(address: Address): Signer | null
}

/** What a feature may use. Everything with an effect comes from here, so that a test can hand in its own. */
export interface Context {
  config: Config
  db: Database
  clock: Clock
  logger: Logger
  wake: Wake
  signers: Signers
  /** Reads of the chain that payments are made on. */
  paymentChain: ChainClient
  /** Reads of the chain that anchors the log. */
  anchorChain: ChainClient
  /** Queues a mail in the caller's transaction; sending is retried until it succeeds. */
  sendMail(tx: Queryable, mail: Mail): Promise<void>
  /** Does nothing, except where crashes are rehearsed. */
  failpoint(at: Failpoint): void
}
