import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const pastMessageSchema = z.object({
  kind: z.enum(['signal', 'outcome', 'candles']),
  text: z.string(),
  /** Time at which the engine would have sent the message, in milliseconds since 1970. */
  at: z.int(),
})
const lineSchema = z.union([pastMessageSchema, z.object({ finished: z.literal(true) })])

export type PastMessage = z.output<typeof pastMessageSchema>
/** A message that becomes an entry of the log. */
export type PastEntry = PastMessage & { kind: 'signal' | 'outcome' }

export function isEntry(message: PastMessage): message is PastEntry {
  return message.kind !== 'candles'
}

const POLL_MS = 20
const CHUNK_BYTES = 256 * 1024

/**
 * True if the engine has written all messages of the past, so that `readHistory` works without the
 * engine.
 */
export function hasHistory(folder: string): boolean {
  return existsSync(join(folder, 'snapshot.json'))
}

/**
 * Reads the engine's messages of the past, oldest first, while the engine writes them. A restarted
 * engine writes the same lines again, so reading continues at the same position. Ends after the
 * last message.
 * @param folder data folder of the engine
 */
export async function* readHistory(folder: string, signal: AbortSignal): AsyncGenerator<PastMessage[]> {
  const path = join(folder, 'history.jsonl')
  let position = 0
  while (true) {
    signal.throwIfAborted()
    const chunk = await readFrom(path, position)
    const end = chunk.lastIndexOf(0x0a) + 1
    position += end
    const lines = chunk.subarray(0, end).toString().split('\n').slice(0, -1)
    const parsedLines = lines.map((text) => lineSchema.parse(JSON.parse(text)))
    const messages = parsedLines.flatMap((one) => ('text' in one ? [one] : []))
    if (messages.length > 0) yield messages
    if (messages.length < parsedLines.length) return
    if (end === 0) await sleep(POLL_MS)
  }
}

/**
 * Reads the next chunk of the file from `position` on. Returns an empty buffer if there are no more
 * bytes or the file does not exist.
 */
async function readFrom(path: string, position: number): Promise<Buffer> {
  const file = await open(path).catch(() => null)
  if (!file) return Buffer.alloc(0)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
