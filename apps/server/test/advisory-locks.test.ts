import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { leaderLocks } from '../src/db/leader.ts'

const source = fileURLToPath(new URL('../src', import.meta.url))

test('advisory locks: every key and every namespace of keys is used for one purpose', () => {
  const declaredKeys = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(source, file), 'utf8').matchAll(
        /^(?:export )?const \w+_LOCK(?:S|_NAMESPACE)? = ([\d_]+)$/gm,
      ),
    ])
    .map(([, key = '']) => Number(key.replaceAll('_', '')))
  expect(declaredKeys.length).toBeGreaterThanOrEqual(8)
  const keys = [...declaredKeys, ...Object.values(leaderLocks)]
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})
