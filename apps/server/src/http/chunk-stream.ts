import { Readable } from 'node:stream'

/** The reader took nothing for too long. */
class StalledReader extends Error {}

/**
 * A stream of text that is made only as fast as it is read. A reader that takes no chunk for `stallMs` is disconnected.
 * @param close runs once, when everything is read or the stream has ended early
 */
export function streamChunks(chunks: AsyncGenerator<string>, stallMs: number, close: () => void): Readable {
  let timer: NodeJS.Timeout | undefined
  async function* watched() {
    for await (const chunk of chunks) {
      timer = setTimeout(() => stream.destroy(new StalledReader(`Nothing was read for ${stallMs} ms`)), stallMs)
      yield chunk
      clearTimeout(timer)
    }
  }
  const stream = Readable.from(watched(), { highWaterMark: 1 })
  // The reader of a stream that nothing is piped to yet has no handler of its own.
  stream.on('error', () => {})
  stream.once('close', () => {
    clearTimeout(timer)
    close()
  })
  return stream
}
