import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isUsableCopy } from './postgres-binaries.ts'

let parent: string
let copyDir: string
/** The program of the copy creates this file when it runs. */
let traceFile: string

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tocsin-programs-'))
  copyDir = join(parent, 'postgres-1')
  traceFile = join(parent, 'trace')
  for (const folder of ['bin', 'share/postgresql']) mkdirSync(join(copyDir, folder), { recursive: true, mode: 0o755 })
  writeFileSync(join(copyDir, 'bin/postgres'), `#!/bin/sh\n: > ${traceFile}\n`, { mode: 0o755 })
  writeFileSync(join(copyDir, 'bin/initdb'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(copyDir, 'share/postgresql/postgres.bki'), '')
})
afterEach(() => rmSync(parent, { recursive: true }))

test.each(['its parent folder', 'its folder'])(
  'isUsableCopy: runs no program when another user may write to %s',
  (name) => {
    chmodSync(name === 'its folder' ? copyDir : parent, 0o777)
    expect([isUsableCopy(copyDir, undefined), existsSync(traceFile)]).toEqual([false, false])
  },
)

test('isUsableCopy: runs the program when only this user may write to the folders, and returns false without a copy', () => {
  expect([isUsableCopy(copyDir, undefined), existsSync(traceFile)]).toEqual([true, true])
  rmSync(copyDir, { recursive: true })
  expect(isUsableCopy(copyDir, undefined)).toBe(false)
})
