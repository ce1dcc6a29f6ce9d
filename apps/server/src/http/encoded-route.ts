import type { Endpoint } from '@tocsin/protocol'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { cacheUntilNotified } from '../cache-until-notified.ts'
import { coalescePerContext } from '../coalesce.ts'
import type { Context } from '../context.ts'
import type { Topic } from '../db/notification-bus.ts'
import { createEntityTag, hasTag } from './entity-tag.ts'
import type { Input, Route } from './route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Like `route`, for a handler that validates and encodes the response itself. */
export function createEncodedRoute<E extends Endpoint>(
  endpoint: E,
  handle: (ctx: Context, input: Input<E>) => Promise<string>,
): Route {
  return {
    endpoint,
    async handle(ctx, input) {
      const body = await handle(ctx, input as Input<E>)
      if (!endpoint.responseType) input.reply.type(JSON_TYPE)
      return body
    },
  }
}

type ReadResponse<E extends Endpoint> = (ctx: Context) => Promise<z.input<E['response']>>

/**
 * Creates a route for a response that does not depend on the caller. Concurrent requests share a
 * response, which is never older than the request.
 */
export function createSharedRoute<E extends Endpoint>(endpoint: E, readResponse: ReadResponse<E>): Route {
  const encode = createEncoder(endpoint)
  const readEncoded = coalescePerContext(async (ctx: Context, calls: null[]) => {
    const encodedResponse = encode(await readResponse(ctx))
    return calls.map(() => encodedResponse)
  })
  return createEncodedRoute(endpoint, (ctx) => readEncoded(ctx, null))
}

/**
 * Creates a route for a response that does not depend on the caller and may be some milliseconds
 * old. The response is cached until a notification of the topic arrives, for at most 5 s.
 */
export function createCachedRoute<E extends Endpoint>(endpoint: E, topic: Topic, readResponse: ReadResponse<E>): Route {
  const encode = createEncoder(endpoint)
  let find: (() => Promise<string>) | null = null
  return createEncodedRoute(endpoint, (ctx) => {
    find ??= cacheUntilNotified({ notifications: ctx.notifications, topic, maxAgeMs: 5_000 }, async () =>
      encode(await readResponse(ctx)),
    )
    return find()
  })
}

/**
 * Adds an ETag to the response of a route, for clients that poll. They get status 304 while the
 * response is unchanged.
 */
export function addEntityTag({ endpoint, handle }: Route): Route {
  const encode = createEncoder(endpoint)
  return {
    endpoint,
    async handle(ctx, input) {
      const { request, reply } = input
      const result = await handle(ctx, input)
      const body = typeof result === 'string' ? result : encode(result)
      const tag = createEntityTag(body)
      reply.header('etag', tag)
      if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
      if (!endpoint.responseType) reply.type(JSON_TYPE)
      return body
    },
  }
}

/**
 * Returns a function that encodes a response, or a part of it with its own schema. It throws if the
 * value does not match the schema.
 */
export function createEncoder(
  { method, path, response, responseType }: Endpoint,
  schema: z.ZodType = response,
): (value: unknown) => string {
  return responseType ? String : serializerCompiler({ schema, method, url: path })
}
