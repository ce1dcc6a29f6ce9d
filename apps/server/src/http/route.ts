import type { Readable } from 'node:stream'
import type { Endpoint } from '@tocsin/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Context } from '../context.ts'
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
}

export type Handler<E extends Endpoint> = (ctx: Context, input: Input<E>) => Promise<z.input<E['response']>>

export interface Route {
  endpoint: Endpoint
  handle(ctx: Context, input: Input<Endpoint>): Promise<unknown>
}

/** Binds a call of the protocol to the function that answers it; the types of both must agree. */
export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>): Route {
  return { endpoint, handle: (ctx, input) => handle(ctx, input as Input<E>) }
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
