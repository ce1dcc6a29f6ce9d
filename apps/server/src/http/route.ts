import type { Readable } from 'node:stream'
import type { Endpoint, Permission, Role } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Tx } from '../db/database.ts'
import type { ReadReplica } from '../db/read-replica.ts'
import { Refusal } from '../refusal.ts'

/** The authenticated caller of a request. */
export interface Actor {
  /** Does not change during the session. */
  sessionId: string
  /** Hash of the current cookie. Changes when the session gains rights. */
  sessionIdHash: string
  accountId: string
  email: string | null
  name: string
  role: Role
  /** Permissions of the role. Empty if the role requires a second factor that the account lacks. */
  permissions: readonly Permission[]
  /** True if the account has a second factor. */
  hasFactor: boolean
  /** True for staff who have to enrol a second factor first. */
  mustEnrol: boolean
  /** Wallets proved in this session, checksummed. */
  provedWallets: string[]
  /**
   * Time when the user last authenticated in this session. If the account has a second factor, time
   * when the user last confirmed an action with it; the sign-in does not count.
   */
  authenticatedAt: Date
  /** Time when the session ends if it is not used again. */
  sessionEndsAt: Date
}

export interface Input<E extends Endpoint> {
  params: z.output<E['params']>
  query: z.output<E['query']>
  body: z.output<E['body']>
  /** Null only if the endpoint is public. Other handlers call `requireActor(input)`. */
  actor: Actor | null
  request: FastifyRequest
  reply: FastifyReply
  /**
   * Stores the response for the Idempotency-Key. The handler must call it in the transaction that
   * makes its changes. Set only if the safeguard of the route is `own transaction` and the request
   * has an Idempotency-Key.
   */
  saveResponse?: (tx: Tx, response: z.input<E['response']>) => Promise<void>
}

export type Handler<E extends Endpoint> = (ctx: Context, input: Input<E>) => Promise<z.input<E['response']>>

/**
 * Determines how a request with an Idempotency-Key is prevented from taking effect twice:
 * - `transaction`: the handler runs in the transaction that stores the key and the response. Only
 *   for handlers whose only effects are in tables.
 * - `own transaction`: the handler calls `input.saveResponse` in the transaction that makes its
 *   changes.
 * - `lease`: the key is reserved before the handler runs, and the response is stored afterwards.
 *   Only for handlers that are safe to repeat after a crash.
 * - `own keys`: the feature stores the keys itself.
 */
export type Safeguard = 'transaction' | 'own transaction' | 'lease' | 'own keys'

export interface Route {
  endpoint: Endpoint
  handle(ctx: Context, input: Input<Endpoint>): Promise<unknown>
  /** Only for endpoints that create something. The default is `transaction`. */
  safeguard?: Safeguard
}

/** Binds an endpoint to its handler; the types of both must match. */
export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>, safeguard?: Safeguard): Route {
  return { endpoint, handle: (ctx, input) => handle(ctx, input as Input<E>), ...(safeguard ? { safeguard } : {}) }
}

/**
 * Like `route`, for a response that is too long to hold in memory. It is streamed and not validated
 * against the response schema.
 */
export function streamRoute<E extends Endpoint>(
  endpoint: E,
  handle: (ctx: Context, input: Input<E>) => Promise<Readable>,
): Route {
  return { endpoint, handle: (ctx, input) => handle(ctx, input as Input<E>) }
}

/**
 * Makes a route read from the replica, if there is one. Only for handlers that only read tables.
 */
export function readFromReplica(route: Route, replica: ReadReplica | null): Route {
  if (!replica) return route
  return { ...route, handle: (ctx, input) => replica.read((db) => route.handle({ ...ctx, db }, input)) }
}

const RECENT_MS = 10 * MINUTE_MS

/** True if `authenticatedAt` is less than ten minutes ago. */
export function hasRecentAuthentication(actor: Actor, now: Date): boolean {
  return now.getTime() - actor.authenticatedAt.getTime() < RECENT_MS
}

/**
 * Checks that the user authenticated recently, which protects sensitive actions on an unattended
 * device.
 * @throws Refusal reauthentication_required
 */
export function assertRecentAuthentication(actor: Actor, now: Date): void {
  if (!hasRecentAuthentication(actor, now))
    throw new Refusal('reauthentication_required', 'Confirm your identity first')
}

/**
 * Returns the caller of a guarded route. The guard has already run, so this only narrows the type.
 */
export function requireActor(input: { actor: Actor | null }): Actor {
  if (!input.actor) throw new Error('A handler that needs an account was reached without one')
  return input.actor
}
