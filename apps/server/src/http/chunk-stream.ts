import { Readable } from 'node:stream'

/**
 * Time after which a client that reads nothing is disconnected: long enough for one page over a
 * slow mobile connection.
 */
export const STALL_MS = 20_000

/** Thrown if the reader accepted no data for too long. */
class StalledReader extends Error {}

/**
 * Streams generated text with backpressure. Disconnects a reader that accepts no chunk for
 * `stallMs`.
 * @param close runs once, when all text was read or the stream ends early
 */
export function streamChunks(chunks: AsyncGenerator<string>, stallMs: number, close: () => void): Readable {
  let timer: NodeJS.Timeout | undefined
  async function* watchChunks() {
    for await (const chunk of chunks) {
      timer = setTimeout(() => stream.destroy(new StalledReader(`Nothing was read for ${stallMs} ms`)), stallMs)
      yield chunk
      clearTimeout(timer)
    }
  }
  const stream = Readable.from(watchChunks(), { highWaterMark: 1 })
  // A stream without a consumer has no error handler, and an unhandled error would crash the
  // process.
  stream.on('error', () => {})
  stream.once('close', () => {
    clearTimeout(timer)
    close()
  })
  return stream
}
