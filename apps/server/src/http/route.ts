import type { Readable } from 'node:stream'
import type { Endpoint } from '@tocsin/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Tx } from '../db/database.ts'
import { Refusal } from '../refusal.ts'

/** Who is calling, as the session cookie says and the database confirms. */
export interface Actor {
  /** Stays the same for as long as the session lasts. */
  sessionId: string
  /** Of the cookie as it is now: it changes when the session gains rights. */
  sessionIdHash: string
  accountId: string
  email: string | null
  name: string
  isAdmin: boolean
  /** Wallets proved in this session, checksummed. */
  provedWallets: string[]
  /** When the person last proved in this session who they are. */
  authenticatedAt: Date
}

export interface Input<E extends Endpoint> {
  params: z.output<E['params']>
  query: z.output<E['query']>
  body: z.output<E['body']>
  /** Null only where the endpoint's access is public: `signedIn(input)` narrows it. */
  actor: Actor | null
  request: FastifyRequest
  reply: FastifyReply
  /**
   * Given to routes with the safeguard `own transaction` if the call carries an Idempotency-Key: they save their answer in
   * the transaction of their effect.
   */
  saveAnswer?: (tx: Tx, answer: z.input<E['response']>) => Promise<void>
}

export type Handler<E extends Endpoint> = (ctx: Context, input: Input<E>) => Promise<z.input<E['response']>>

/**
 * How a call with an Idempotency-Key is kept from acting twice:
 * - `transaction`: the handler runs in one transaction with its key. Only for handlers that do nothing but read and write tables.
 * - `own transaction`: the handler calls `input.saveAnswer` in the transaction of its effect.
 * - `lease`: the key is reserved before and answered after the handler. Only for handlers that are safe to repeat after a crash.
 * - `own keys`: the feature keeps its keys itself.
 */
export type Safeguard = 'transaction' | 'own transaction' | 'lease' | 'own keys'

export interface Route {
  endpoint: Endpoint
  handle(ctx: Context, input: Input<Endpoint>): Promise<unknown>
  /** For endpoints that create something; `transaction` unless given. */
  safeguard?: Safeguard
}

/** Binds a call of the protocol to the function that answers it; the types of both must agree. */
export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>, safeguard?: Safeguard): Route {
  return { endpoint, handle: (ctx, input) => handle(ctx, input as Input<E>), ...(safeguard ? { safeguard } : {}) }
}

/** The same for an answer that is too long to be held: it is sent as it is made, and nothing checks it against the call's shape. */
export function streamRoute<E extends Endpoint>(
  endpoint: E,
  handle: (ctx: Context, input: Input<E>) => Promise<Readable>,
): Route {
  return { endpoint, handle: (ctx, input) => handle(ctx, input as Input<E>) }
}

const RECENT_MS = 10 * 60_000

/** Whether the person has just proved to be who the session says. */
export function isRecent(actor: Actor, now: Date): boolean {
  return now.getTime() - actor.authenticatedAt.getTime() < RECENT_MS
}

/** For what must not be done with somebody's unlocked machine. */
export function assertRecent(actor: Actor, now: Date): void {
  if (!isRecent(actor, now)) throw new Refusal('reauthentication_required', 'Confirm that it is you first')
}

/** The caller of a guarded route. The guard has run before; this only tells the compiler, loudly if it is wrong. */
export function signedIn(input: { actor: Actor | null }): Actor {
  if (!input.actor) throw new Error('A handler that needs an account was reached without one')
  return input.actor
}
