import { expect, test } from 'vitest'
import { printable, printableJson, quote } from './printable.ts'

const hostile: [name: string, text: string, shown: string][] = [
  ['a colour', '\x1b[31mred', '\\u{1b}[31mred'],
  ['a window title', '\x1b]0;owned\x07', '\\u{1b}]0;owned\\u{7}'],
  ['a C1 control character', '\x9b2J', '\\u{9b}2J'],
  ['a line break', 'a\r\n✓ passed', 'a\\u{d}\\u{a}✓ passed'],
  ['a bidirectional override', 'a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
  ['invisible characters', 'a\u200b\u2066b\u2028c', 'a\\u{200b}\\u{2066}b\\u{2028}c'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['letters of any script', 'Naïve 🚨 “quoted” \\ 日本', 'Naïve 🚨 “quoted” \\ 日本'],
]

test.each(hostile)('printable: shows %s as visible text', (_name, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test.each(hostile)('printableJson: preserves %s', (_name, text) => {
  const json = printableJson({ text, list: ['x', { y: 1 }] })
  expect(JSON.parse(json)).toEqual({ text, list: ['x', { y: 1 }] })
  expect(printable(json.replaceAll('\n', ''))).toBe(json.replaceAll('\n', ''))
})

test('quote: shortens long text', () => {
  expect(quote('x'.repeat(1e6)).length).toBeLessThan(200)
  expect(quote('a\x1bb')).toBe('“a\\u{1b}b”')
})
