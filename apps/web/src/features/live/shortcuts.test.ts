import { expect, it } from 'vitest'
import { readPress } from './shortcuts.ts'

const plain = { atMs: 0, isModified: false, isRepeated: false, isTyping: false }
const afterG = { key: 'g', atMs: 0 }

it.each([
  ['any letter', null, { key: 'x' }, null],
  ['p in a field', null, { key: 'p', isTyping: true }, null],
  ['Ctrl p', null, { key: 'p', isModified: true }, null],
  ['p held down', null, { key: 'p', isRepeated: true }, null],
  ['g d, but d too late', afterG, { key: 'd', atMs: 1_501 }, null],
  ['g x', afterG, { key: 'x' }, null],
  ['g p', afterG, { key: 'p' }, null],
  ['g Ctrl d', afterG, { key: 'd', isModified: true }, null],
  ['p', null, { key: 'p' }, 'p'],
  ['g d', afterG, { key: 'd', atMs: 1_500 }, 'g d'],
  ['j held down', null, { key: 'j', isRepeated: true }, 'j'],
  ['?', null, { key: '?' }, '?'],
])('%s', (_name, before, press, keys) => {
  const read = readPress(before, { ...plain, ...press })
  expect(read).toEqual({ started: null, keys })
})

it('g waits for what follows', () => {
  expect(readPress(null, { ...plain, key: 'g', atMs: 7 })).toEqual({ started: { key: 'g', atMs: 7 }, keys: null })
})
