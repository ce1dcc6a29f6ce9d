import { z } from 'zod'

/**
 * Who may call: anyone, a signed-in account, or an admin. `limit` names the rate limit: `credential` for whatever guesses at or mails
 * secrets, `costly` for what touches a chain, `letter` for what a person reads in the end.
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
  /** Only for who has proved within the last ten minutes, in this session, to be its person. */
  recent?: true
  limit?: 'credential' | 'costly' | 'letter'
  summary: string
  /** 302: a page that browsers navigate to and are sent on from. */
  status?: 200 | 201 | 302
  /** The call creates something: clients can repeat it safely with the header Idempotency-Key. */
  creates?: true
  /** JSON unless it says otherwise. */
  answerType?: 'text/plain' | 'text/csv'
  params: Params
  query: Query
  body: Body
  response: Response
}

export const nothing = z.undefined()
/** Writes without a payload accept no body, an empty body and `{}`. */
export const emptyBody = z.strictObject({}).nullish()

interface Shape<P, Q, B, R> {
  method: Endpoint['method']
  path: string
  access: Endpoint['access']
  recent?: true
  limit?: Endpoint['limit']
  summary: string
  status?: Endpoint['status']
  creates?: true
  answerType?: Endpoint['answerType']
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
  const { recent, limit, status, creates, answerType, ...rest } = shape
  return {
    ...rest,
    ...(recent ? { recent } : {}),
    ...(limit ? { limit } : {}),
    ...(status ? { status } : {}),
    ...(creates ? { creates } : {}),
    ...(answerType ? { answerType } : {}),
    params: (shape.params ?? noKeys) as P,
    query: (shape.query ?? noKeys) as Q,
    body: (shape.body ?? nothing) as B,
  }
}

export const byId = z.strictObject({ id: z.string().max(100) })
