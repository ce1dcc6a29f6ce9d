import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable, type Transform } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

const END_SIGNATURE = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535
const ENTRY_SIGNATURE = 0x02014b50
const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30
const METHOD_STORED = 0
const METHOD_DEFLATED = 8

/**
 * Opens a zip archive that contains a single file, and returns the content of that file as a
 * stream. Does not load the archive into memory, because archives of one month exceed a gigabyte.
 * @throws Error if the archive is damaged or encrypted, uses another compression than deflate, or
 * does not contain exactly one file
 */
export async function openZippedFile(path: string): Promise<Readable> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(Math.min(size, END_BYTES + MAX_COMMENT_BYTES))
    await file.read(tail, 0, tail.length, size - tail.length)
    const endOffset = tail.lastIndexOf(END_SIGNATURE)
    if (endOffset < 0 || endOffset + END_BYTES > tail.length) throw new Error(`${path} is not a complete zip archive`)
    if (tail.readUInt16LE(endOffset + 10) !== 1) throw new Error(`${path} does not hold exactly one file`)
    const entry = Buffer.alloc(46)
    await file.read(entry, 0, entry.length, tail.readUInt32LE(endOffset + 16))
    if (entry.readUInt32LE(0) !== ENTRY_SIGNATURE) throw new Error(`${path} has a damaged directory`)
    const [flags, method] = [entry.readUInt16LE(8), entry.readUInt16LE(10)]
    if (flags & 1 || (method !== METHOD_DEFLATED && method !== METHOD_STORED)) {
      throw new Error(`${path} is encrypted or uses a compression method other than deflate`)
    }
    const localOffset = entry.readUInt32LE(42)
    const localHeader = Buffer.alloc(LOCAL_BYTES)
    await file.read(localHeader, 0, localHeader.length, localOffset)
    if (localHeader.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error(`${path} has a damaged file header`)
    const start = localOffset + LOCAL_BYTES + localHeader.readUInt16LE(26) + localHeader.readUInt16LE(28)
    const bytes = entry.readUInt32LE(20)
    // 0xffffffff means that the size is in a ZIP64 field. Instead of reading it, read to the end of
    // the archive: compressed data marks its own end.
    const lastByte = bytes === 0xffffffff ? size - 1 : start + bytes - 1
    if (bytes === 0) return Readable.from([])
    const data = createReadStream(path, { start, end: lastByte })
    return method === METHOD_STORED ? data : pipeErrors(data, createInflateRaw())
  } finally {
    await file.close()
  }
}

/**
 * Pipes a source into a target. Unlike `pipe` alone, an error of the source also fails the target.
 */
export function pipeErrors(source: Readable, target: Transform): Readable {
  source.on('error', (error) => target.destroy(error))
  target.on('close', () => source.destroy())
  return source.pipe(target)
}
