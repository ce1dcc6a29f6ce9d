import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { LogEntry } from '@tocsin/proof'
import { z } from 'zod'

/**
 * A file with a copy of a whole log, as written by `tocsin-verify --mirror` and `log succeed`: one
 * line of JSON that names the log, then one line per entry. Its content is untrusted.
 */

const header = z.object({
  format: z.literal('tocsin-log-mirror'),
  version: z.literal(1),
  chainId: z.number().int().positive(),
  contract: z.string(),
  firstSigner: z.string(),
})
const hexSchema = z.custom<`0x${string}`>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/.test(value))
const line = z.object({
  index: z.number().int().min(0),
  leafHash: hexSchema,
  bytes: z.string().nullable(),
  signature: z.string().nullable(),
})

export type MirrorHeader = Omit<z.infer<typeof header>, 'format' | 'version'>

export interface Mirror {
  header: MirrorHeader
  /** Streamed from the file, so they can be iterated only once. */
  entries: AsyncIterable<LogEntry>
}

/**
 * Opens a mirror and passes it to `use`.
 * @throws Error with a message for the operator if the file is not a mirror, even during iteration
 */
export async function withMirror<T>(path: string, use: (mirror: Mirror) => Promise<T>): Promise<T> {
  const file = await open(path)
  const lines = readTexts(file)
  const parse = <Value>(text: string, schema: z.ZodType<Value>): Value => {
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      throw new Error(`${path} is not a mirror of a log, or it is damaged`)
    }
  }
  async function* readEntries(): AsyncGenerator<LogEntry> {
    for await (const text of lines) yield parse(text, line)
  }
  try {
    const firstLine = await lines.next()
    return await use({ header: parse(firstLine.done ? '' : firstLine.value, header), entries: readEntries() })
  } finally {
    await lines.return(undefined)
    await file.close()
  }
}

async function* readTexts(file: FileHandle): AsyncGenerator<string, undefined> {
  for await (const text of file.readLines()) if (text !== '') yield text
}

/**
 * Writes a mirror that only its owner can read. The file gets its final name once it is complete
 * and flushed to disk.
 */
export async function writeMirror(path: string, header: MirrorHeader, entries: AsyncIterable<LogEntry>): Promise<void> {
  const temporaryPath = `${path}.part`
  await rm(temporaryPath, { force: true })
  const file = await open(temporaryPath, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify({ format: 'tocsin-log-mirror', version: 1, ...header })}\n`)
    for await (const { index, leafHash, bytes, signature } of entries) {
      await file.writeFile(`${JSON.stringify({ index, leafHash, bytes, signature })}\n`)
    }
    await file.sync()
    await rename(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
