import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

/** The subset of JSON Schema that the server's OpenAPI document uses. */
export interface JsonSchema {
  type?: string | string[] | undefined
  description?: string | undefined
  properties?: Record<string, JsonSchema> | undefined
  required?: string[] | undefined
  items?: JsonSchema | undefined
  anyOf?: JsonSchema[] | undefined
  oneOf?: JsonSchema[] | undefined
  enum?: unknown[] | undefined
  const?: unknown
  format?: string | undefined
  minLength?: number | undefined
  maxLength?: number | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  default?: unknown
}

const jsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    // Accept `items: false` of tuples, and treat it as no schema.
    items: z.union([jsonSchema, z.boolean().transform((): undefined => undefined)]).optional(),
    anyOf: z.array(jsonSchema).optional(),
    oneOf: z.array(jsonSchema).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    format: z.string().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.unknown().optional(),
  }),
)

const contentSchema = z.record(z.string(), z.object({ schema: jsonSchema.optional() }))
const exampleSchema = z.object({
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional(),
})

const operationSchema = z.object({
  summary: z.string().default(''),
  tags: z.array(z.string()).default([]),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean().default(false), schema: jsonSchema }))
    .default([]),
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(z.string(), z.object({ content: contentSchema.optional() })).default({}),
  'x-access': z.enum(['public', 'account', 'admin']).default('public'),
  'x-recent': z.boolean().default(false),
  'x-scope': z.string().nullable().default(null),
  'x-limit': z.string().nullable().default(null),
  'x-example': exampleSchema.default({}),
})

const apiDocumentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  'x-websocket': z.object({
    path: z.string(),
    clientMessages: jsonSchema,
    serverMessages: jsonSchema,
    closeCodes: z.record(z.string(), z.number()),
  }),
})
export type SocketDescription = z.infer<typeof apiDocumentSchema>['x-websocket']

/** An API call as shown in the reference. */
export interface ApiCall {
  id: string
  method: string
  /** OpenAPI path template, with parameters in braces. */
  path: string
  summary: string
  access: 'public' | 'account' | 'admin'
  isRecent: boolean
  /** Scope that an API key needs for the call. Null if API keys cannot make the call. */
  scope: string | null
  isCostly: boolean
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[]
  body: JsonSchema | null
  response: { status: string; schema: JsonSchema } | null
  example: z.infer<typeof exampleSchema>
}

export interface ApiReference {
  callsByTopic: Record<string, ApiCall[]>
  socket: SocketDescription
}

export const apiReferenceQuery = queryOptions({
  queryKey: ['/openapi.json'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/openapi.json', { signal })
    if (!response.ok) throw new Error(`The server returned ${response.status}`)
    return readApiDocument(await response.json())
  },
})

/** @throws ZodError if the value is not a valid document */
export function readApiDocument(value: unknown): ApiReference {
  const { paths, 'x-websocket': socket } = apiDocumentSchema.parse(value)
  const callsByTopic: Record<string, ApiCall[]> = {}
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, apiOperation] of Object.entries(methods)) {
      const call = toCall(method, path, apiOperation)
      for (const tag of apiOperation.tags) callsByTopic[tag] = [...(callsByTopic[tag] ?? []), call]
    }
  }
  return { callsByTopic, socket }
}

function toCall(method: string, path: string, apiOperation: z.infer<typeof operationSchema>): ApiCall {
  const [status, response] = Object.entries(apiOperation.responses)[0] ?? []
  const responseSchema = response?.content && Object.values(response.content)[0]?.schema
  return {
    id: `${method}-${path}`.replace(/[^a-z0-9]+/gi, '-').replace(/-$/, ''),
    method: method.toUpperCase(),
    path,
    summary: apiOperation.summary,
    access: apiOperation['x-access'],
    isRecent: apiOperation['x-recent'],
    scope: apiOperation['x-scope'],
    isCostly: apiOperation['x-limit'] !== null && apiOperation['x-limit'] !== 'day',
    parameters: apiOperation.parameters,
    body: apiOperation.requestBody?.content['application/json']?.schema ?? null,
    response: status && responseSchema ? { status, schema: responseSchema } : null,
    example: apiOperation['x-example'],
  }
}
