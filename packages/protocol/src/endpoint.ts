import { z } from 'zod'
import type { ApiKeyScope } from './api-keys.ts'
import type { Permission } from './roles.ts'

/**
 * One endpoint of the HTTP API. `access`: anyone, a signed-in account, or staff with `permission`.
 * `limit` names the rate limit: `credential` for endpoints that check or email secrets, `costly`
 * for expensive ones (chain reads, exports, scans), `page` for large pages that verifiers read one
 * after the other, `day` for the candles of a day, `letter` for messages to the operator.
 */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  access: 'public' | 'account' | 'admin'
  /** Set for all endpoints of the admin area, and only for them. */
  permission?: Permission
  /** Requires that the session authenticated within the last ten minutes. */
  recent?: true
  /** The scope of API keys that gives access to this endpoint. Without one, no key is accepted. */
  scope?: ApiKeyScope
  limit?: 'credential' | 'costly' | 'page' | 'day' | 'letter'
  summary: string
  /** Status of the response. 302: the browser navigates to this endpoint and is redirected. */
  status?: 200 | 201 | 302
  /**
   * Set if the call creates something. Clients can retry it safely with the Idempotency-Key header.
   * `secret`: the response contains a secret and is therefore not stored, so a repeated request is
   * refused.
   */
  creates?: true | 'secret'
  /** Media type of the response. Default: JSON. */
  responseType?: 'text/plain' | 'text/csv' | 'application/jsonl'
  params: Params
  query: Query
  body: Body
  response: Response
}

export const nothing = z.undefined()
/** Requests without a payload accept no body, an empty body and `{}`. */
export const emptyBody = z.strictObject({}).nullish()

/** An endpoint names either its access or, in the admin area, the permission that it requires. */
type Access = { access: 'public' | 'account'; permission?: never } | { access?: never; permission: Permission }

type Shape<P, Q, B, R> = Access &
  Omit<Endpoint, 'method' | 'access' | 'permission' | 'params' | 'query' | 'body' | 'response'> & {
    /** Default: GET. */
    method?: Endpoint['method']
    params?: P
    query?: Q
    body?: B
    response: R
  }

const noKeys = z.strictObject({})

export function endpoint<
  R extends z.ZodType,
  P extends z.ZodType = typeof noKeys,
  Q extends z.ZodType = typeof noKeys,
  B extends z.ZodType = typeof nothing,
>(shape: Shape<P, Q, B, R>): Endpoint<P, Q, B, R> & { access: Endpoint['access'] } {
  return {
    ...shape,
    method: shape.method ?? 'GET',
    access: shape.access ?? 'admin',
    params: (shape.params ?? noKeys) as P,
    query: (shape.query ?? noKeys) as Q,
    body: (shape.body ?? nothing) as B,
  }
}

export const byId = z.strictObject({ id: z.string().max(100) })
