import type { Address, Hex } from '@tocsin/proof'
import type { Logger } from 'pino'
import type { ChainClient } from './chain/chain-client.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database, Queryable } from './db/database.ts'
import type { Wake } from './db/wake.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** The key that states alerts. Nothing else of the product sees it. */
export interface Signer {
  address: Address
  signDigest(digest: Uint8Array): Hex
}

/** What a feature may use. Everything with an effect comes from here, so that a test can hand in its own. */
export interface Context {
  config: Config
  db: Database
  clock: Clock
  logger: Logger
  wake: Wake
  signer: Signer
  /** Reads of the chain that payments are made on. */
  paymentChain: ChainClient
  /** Reads of the chain that anchors the log. */
  anchorChain: ChainClient
  /** Queues a mail in the caller's transaction; sending is retried until it succeeds. */
  sendMail(tx: Queryable, mail: Mail): Promise<void>
}
