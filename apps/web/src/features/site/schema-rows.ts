import type { JsonSchema } from './api-document.ts'

export interface SchemaRow {
  /** Path of the field: `user.email`, `[].id`. */
  name: string
  type: string
  required: boolean
  /** Limits and default value as text. */
  detail: string
}

const MAX_DEPTH = 3

/** A schema's fields as table rows. Nested fields are prefixed with their parent's name. */
export function listSchemaRows(schema: JsonSchema, prefix = '', depth = 0): SchemaRow[] {
  const ownSchema = unwrapNullable(schema)
  if (ownSchema.items && ownSchema.type === 'array') return listSchemaRows(ownSchema.items, `${prefix}[]`, depth)
  const required = new Set(ownSchema.required ?? [])
  return Object.entries(ownSchema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix ? `${prefix}.${key}` : key
    const row = {
      name,
      type: formatType(field),
      required: required.has(key),
      detail: describeLimits(unwrapNullable(field)),
    }
    const isDeep = depth + 1 >= MAX_DEPTH
    return isDeep ? [row] : [row, ...listSchemaRows(field, name, depth + 1)]
  })
}

/** Short description of a type: "string", "number | null", "list of string". */
export function formatType(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(formatType))].join(' | ')
  if (schema.items) return `list of ${formatType(schema.items)}`
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  return schema.type ?? 'anything'
}

/** Removes the null alternative of a nullable schema. */
function unwrapNullable(schema: JsonSchema): JsonSchema {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  const [onlyChoice] = choices
  return choices.length === 1 && onlyChoice ? onlyChoice : schema
}

function describeLimits(schema: JsonSchema): string {
  const { minLength, maxLength, minimum, maximum, format } = schema
  const words = [
    format && format !== 'regex' ? format : null,
    formatRange(minLength, maxLength, 'characters'),
    formatRange(minimum, maximum, ''),
    schema.default === undefined ? null : `default ${JSON.stringify(schema.default)}`,
  ]
  return words.filter((word) => word !== null).join(', ')
}

function formatRange(from: number | undefined, to: number | undefined, unit: string): string | null {
  const hasEnd = to !== undefined && to < Number.MAX_SAFE_INTEGER
  const hasStart = from !== undefined && from > Number.MIN_SAFE_INTEGER
  if (!hasEnd && !hasStart) return null
  const words = hasStart && hasEnd ? `${from} to ${to}` : hasEnd ? `at most ${to}` : `at least ${from}`
  return unit ? `${words} ${unit}` : words
}
