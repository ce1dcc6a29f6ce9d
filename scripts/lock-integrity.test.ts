import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findLockProblems } from './lock-integrity.ts'

const lock = (entry: object) => JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0', ...entry } } })
const hash = { integrity: 'sha512-AAAA' }

test.each<[string, object, RegExp | null]>([
  ['an entry with a hash', hash, null],
  ['an entry without one', {}, /no integrity/],
  ['an optional entry for every platform without one', { optional: true }, /no integrity/],
  ['an optional binary for this platform without one', { optional: true, os: ['linux'], cpu: ['x64'] }, /no integrity/],
  ['a required binary for another platform without one', { os: ['darwin'] }, /no integrity/],
  ['an optional binary for another platform without one', { optional: true, os: ['darwin'], cpu: ['arm64'] }, null],
  ['a weak hash', { integrity: 'sha1-AAAA' }, /SHA-1/],
  ['the address of a registry', { ...hash, resolved: 'https://registry.example.com/one.tgz' }, /registry/],
  ['a workspace', { link: true, resolved: 'packages/one' }, null],
])('%s', (_name, entry, problem) => {
  const problems = findLockProblems(lock(entry))
  if (problem === null) expect(problems).toEqual([])
  else expect(problems.join()).toMatch(problem)
})

test('the lock of this repository has none of these problems', () => {
  expect(findLockProblems(readFileSync('package-lock.json', 'utf8'))).toEqual([])
})
