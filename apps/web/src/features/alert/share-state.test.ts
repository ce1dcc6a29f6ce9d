import { expect, test } from 'vitest'
import { createShareLink, getShareState } from './share-state.ts'

const createdAt = '2026-11-22T13:58:02.000Z'
const publicAt = '2026-11-23T13:58:02.000Z'

test.each([
  ['before the public delay', 24, publicAt, -1, { kind: 'private', publicAt }],
  ['before the public delay, with sharing off', 0, publicAt, -1, { kind: 'off', publicAt }],
  ['at the public delay', 24, publicAt, 0, { kind: 'public' }],
  ['at the public delay, with sharing off', 0, publicAt, 0, { kind: 'public' }],
])('getShareState: returns the expected state %s', (_name, shareLinkHours, at, offsetMs, expected) => {
  const config = { publicDelayHours: 24, shareLinkHours }
  expect(getShareState(createdAt, config, Date.parse(at) + offsetMs)).toEqual(expected)
})

test('createShareLink: puts the token in the URL fragment, and omits the fragment when the token is null', () => {
  expect(createShareLink('https://a.example', 2488, null)).toBe('https://a.example/a/2488')
  expect(createShareLink('https://a.example', 2488, 'tok-en')).toBe('https://a.example/a/2488#tok-en')
})
