import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { IsBreached } from '../../context.ts'

/**
 * More than the length of a line, which has 40 hexadecimal digits, a colon and a count. Each read
 * covers two chunks, so that it contains a whole line.
 */
const CHUNK_BYTES = 128

/**
 * Opens the list that the downloader of Have I Been Pwned writes. It has a line for each SHA-1 of a
 * password, in upper case, followed by a colon and a count, in ascending order. A binary search in
 * the file needs about 35 reads for a list of 40 GB, and no memory.
 * @param path null if the operator has no list
 */
export async function openBreachedPasswords(path: string | null): Promise<IsBreached> {
  if (path === null) return async () => false
  const first = await withFile(path, (file) => readLine(file, 0))
  if (!/^[0-9A-F]{40}:\d+$/.test(first.text)) {
    throw new Error('BREACHED_PASSWORDS is not a list of SHA-1 hashes with counts, ordered by hash')
  }
  return (password) => {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
    return withFile(path, (file) => containsHash(file, hash))
  }
}

async function withFile<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path).catch((error: unknown) => {
    throw new Error(`BREACHED_PASSWORDS cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  try {
    return await read(file)
  } finally {
    await file.close()
  }
}

async function containsHash(file: FileHandle, hash: string): Promise<boolean> {
  // If the file contains the hash, its line begins in [from, to).
  let from = 0
  let to = (await file.stat()).size
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const line = await readLine(file, middle)
    const lineHash = line.text.slice(0, hash.length)
    if (lineHash === hash) return true
    if (lineHash === '' || lineHash > hash) to = middle
    else from = line.end
  }
  return false
}

/**
 * Returns the first line that begins at or after the position. The text is empty at the end of the
 * file.
 * @returns `end`: where the next line begins
 */
async function readLine(file: FileHandle, position: number): Promise<{ text: string; end: number }> {
  // Reading starts one byte earlier, to see whether the position is the beginning of a line.
  const start = Math.max(0, position - 1)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * CHUNK_BYTES), 0, 2 * CHUNK_BYTES, start)
  const text = buffer.toString('latin1', 0, bytesRead)
  const lineStart = position === 0 ? 0 : text.indexOf('\n') + 1
  if (position > 0 && lineStart === 0) return { text: '', end: start + bytesRead }
  const length = (text.indexOf('\n', lineStart) + 1 || text.length + 1) - lineStart - 1
  return { text: text.slice(lineStart, lineStart + length).trimEnd(), end: start + lineStart + length + 1 }
}
