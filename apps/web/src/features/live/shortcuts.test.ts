import { expect, it } from 'vitest'
import { interpretKeyPress } from './shortcuts.ts'

const plainKeyEvent = { atMs: 0, isModified: false, isRepeated: false, isTyping: false }
const keyG = { key: 'g', atMs: 0 }

it.each([
  ['an unassigned key', null, { key: 'x' }, null],
  ['p in a text field', null, { key: 'p', isTyping: true }, null],
  ['Ctrl+P', null, { key: 'p', isModified: true }, null],
  ['p held down', null, { key: 'p', isRepeated: true }, null],
  ['g d when d is too late', keyG, { key: 'd', atMs: 1_501 }, null],
  ['g x', keyG, { key: 'x' }, null],
  ['g p', keyG, { key: 'p' }, null],
  ['g Ctrl+D', keyG, { key: 'd', isModified: true }, null],
  ['p', null, { key: 'p' }, 'p'],
  ['w in a text field', null, { key: 'w', isTyping: true }, null],
  ['Ctrl+W', null, { key: 'w', isModified: true }, null],
  ['w', null, { key: 'w' }, 'w'],
  ['g d', keyG, { key: 'd', atMs: 1_500 }, 'g d'],
  ['j held down', null, { key: 'j', isRepeated: true }, 'j'],
  ['?', null, { key: '?' }, '?'],
])('interpretKeyPress: returns the expected shortcut or null for %s', (_name, previousKey, press, keys) => {
  const interpretedPress = interpretKeyPress(previousKey, { ...plainKeyEvent, ...press })
  expect(interpretedPress).toEqual({ started: null, keys })
})

it('interpretKeyPress: starts a sequence when g is pressed', () => {
  expect(interpretKeyPress(null, { ...plainKeyEvent, key: 'g', atMs: 7 })).toEqual({
    started: { key: 'g', atMs: 7 },
    keys: null,
  })
})
