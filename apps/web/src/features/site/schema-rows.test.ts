import { expect, test } from 'vitest'
import { formatType, listSchemaRows } from './schema-rows.ts'

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ const: 'live' }, '"live"'],
  [{ enum: ['low', 'high'] }, '"low" | "high"'],
  [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number | null'],
  [{ type: 'array', items: { type: 'string' } }, 'list of string'],
  [{}, 'anything'],
])('formatType: describes %o as %s', (schema, words) => {
  expect(formatType(schema)).toBe(words)
})

test('listSchemaRows: lists nested fields under their parent, up to three levels', () => {
  const leaf = { type: 'object', properties: { d: { type: 'string' } } }
  const schema = {
    type: 'object',
    required: ['a'],
    properties: {
      a: {
        anyOf: [{ type: 'object', properties: { b: { type: 'object', properties: { c: leaf } } } }, { type: 'null' }],
      },
      list: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'number', minimum: 0, maximum: 9 } } },
      },
      text: { type: 'string', minLength: 1, maxLength: 40, default: 'x' },
    },
  }
  expect(listSchemaRows(schema).map(({ name, required, detail }) => [name, required, detail])).toEqual([
    ['a', true, ''],
    ['a.b', false, ''],
    ['a.b.c', false, ''],
    ['list', false, ''],
    ['list[].id', false, '0 to 9'],
    ['text', false, '1 to 40 characters, default "x"'],
  ])
})
