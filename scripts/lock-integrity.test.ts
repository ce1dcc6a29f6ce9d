import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findLockProblems } from './lock-integrity.ts'

const createLockText = (entry: object) =>
  JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0', ...entry } } })
const hash = { integrity: 'sha512-AAAA' }

test.each<[string, object, RegExp | null]>([
  ['an entry with a hash', hash, null],
  ['an entry without a hash', {}, /no integrity/],
  ['an optional entry for every platform without a hash', { optional: true }, /no integrity/],
  // npm omits the hash of a binary for another platform if the registry does not have that package
  // at that moment.
  [
    'an optional binary for another platform without a hash',
    { optional: true, os: ['darwin'], cpu: ['arm64'] },
    /no integrity/,
  ],
  ['a SHA-1 hash', { integrity: 'sha1-AAAA' }, /SHA-1/],
  ['a registry URL', { ...hash, resolved: 'https://registry.example.com/one.tgz' }, /registry/],
  ['a workspace', { link: true, resolved: 'packages/one' }, null],
])('findLockProblems: returns the expected problem, or none, for %s', (_name, entry, problem) => {
  const problems = findLockProblems(createLockText(entry))
  if (problem === null) expect(problems).toEqual([])
  else expect(problems.join()).toMatch(problem)
})

test('findLockProblems: finds nothing in package-lock.json of this repository', () => {
  expect(findLockProblems(readFileSync('package-lock.json', 'utf8'))).toEqual([])
})
