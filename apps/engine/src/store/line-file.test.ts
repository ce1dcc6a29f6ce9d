import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLineFile } from './line-file.ts'

const { writeSync } = fs

/** Makes writes fail after three bytes, as on a full disk. */
function fillDisk(): void {
  Object.assign(fs, {
    writeSync(file: number, bytes: Uint8Array, at: number) {
      writeSync(file, bytes, at, 3)
      throw new Error('ENOSPC: no space left on device')
    },
  })
  syncBuiltinESMExports()
  onTestFinished(restoreWrites)
}

function restoreWrites(): void {
  Object.assign(fs, { writeSync })
  syncBuiltinESMExports()
}

test('line file: contains each value once when one write has failed on a full disk', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'engine-lines-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const path = join(folder, 'lines.jsonl')
  const file = openLineFile(path)
  file.append('first')
  file.flush()
  file.append('second')
  fillDisk()
  expect(() => file.flush()).toThrow('ENOSPC')
  restoreWrites()
  file.append('third')
  file.close()
  const reopenedFile = openLineFile(path)
  reopenedFile.close()
  expect(reopenedFile.values).toEqual(['first', 'second', 'third'])
})
