import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file. After a crash at any point, the file has the old or the new content. */
export function writeFileAtomic(path: string, content: string): void {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeAll(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

/** Makes created, renamed and deleted names of a folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Writes the whole content. `writeSync` alone may write only a part of it. */
export function writeAll(file: number, content: string): void {
  const bytes = Buffer.from(content)
  for (let index = 0; index < bytes.length; ) index += writeSync(file, bytes, index)
}
