import { expect, test } from 'vitest'
import { parseJsonDigits, toDecimal } from './digits.ts'

test.each(['', '{', '{"a":NaN}', '[1,]', '{"a":1}{"b":2}', '[1.]', '[.5]', "{'a':1}"])(
  'parseJsonDigits: returns undefined when the text is %o',
  (text) => {
    expect(parseJsonDigits(text)).toBeUndefined()
  },
)

test.each<[string, unknown]>([
  ['{"price":30000.10,"id":15564437896659189083}', { price: '30000.10', id: '15564437896659189083' }],
  ['[1e-7,-2.50,0]', ['1e-7', '-2.50', '0']],
  ['{"text 12":"a 1.0 \\" 2 \\\\","on":true,"none":null}', { 'text 12': 'a 1.0 " 2 \\', on: true, none: null }],
])('parseJsonDigits: keeps every digit when the text is %s', (text, expected) => {
  expect(parseJsonDigits(text)).toEqual(expected)
})

test.each(['', '-1', '+1', '01', '1.', '.5', 'NaN', 'Infinity', '1e400', `1${'0'.repeat(18)}`, '1e-19', '0x10', '1,5'])(
  'toDecimal: returns null when the text is %o',
  (text) => {
    expect(toDecimal(text)).toBeNull()
  },
)

test.each([
  ['61204.11000000', '61204.11000000'],
  ['0', '0'],
  ['1e-7', '0.0000001'],
  ['1.25E+2', '125'],
  ['12.5e1', '125'],
  ['1.255e1', '12.55'],
  ['123456789012345678.123456789012345678', '123456789012345678.123456789012345678'],
])('toDecimal: converts the number %s to the plain decimal %s', (text, decimal) => {
  expect(toDecimal(text)).toBe(decimal)
})
