import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file. After a crash at any point, the file has the old or the new content. */
export function writeFileAtomic(path: string, content: string): void {
  const temporaryPath = `${path}.new`
  const file = openSync(temporaryPath, 'w', 0o600)
  try {
    writeAll(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporaryPath, path)
  syncFolder(dirname(path))
}

/** Makes created, renamed and deleted names of a folder durable. */
export function syncFolder(path: string): void {
  const folderDescriptor = openSync(path, 'r')
  try {
    fsyncSync(folderDescriptor)
  } finally {
    closeSync(folderDescriptor)
  }
}

/** Writes the whole content. `writeSync` alone may write only a part of it. */
export function writeAll(file: number, content: string): void {
  const bytes = Buffer.from(content)
  for (let index = 0; index < bytes.length; ) index += writeSync(file, bytes, index)
}
