import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { writeAll } from './atomic-file.ts'

/** An append-only file of JSON values, one per line. */
export interface LineFile {
  /** Values that the file contained when it was opened. */
  readonly values: unknown[]
  /** Buffers a value until the next `flush`. */
  append(value: unknown): void
  /** Passes buffered values to the operating system: they survive the end of this process. */
  flush(): void
  /** Flushes and waits for the disk: values survive a power failure. */
  sync(): void
  close(): void
}

const MAX_BUFFERED = 64 * 1024

/**
 * Opens or creates the file. A last line without its end, which a crash leaves behind, is removed.
 * @throws Error if another line is damaged
 */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'a+', 0o600)
  const content = readFileSync(path)
  const endOffset = content.lastIndexOf(0x0a) + 1
  if (endOffset < content.length) {
    ftruncateSync(file, endOffset)
    fsyncSync(file)
  }
  let bufferedText = ''
  const lines = {
    values: parseLines(path, content.subarray(0, endOffset).toString()),
    append(value: unknown) {
      bufferedText += `${JSON.stringify(value)}\n`
      if (bufferedText.length > MAX_BUFFERED) lines.flush()
    },
    flush() {
      if (bufferedText === '') return
      const { size } = fstatSync(file)
      try {
        writeAll(file, bufferedText)
      } catch (error) {
        // The next flush writes all values again, so no part of them may remain.
        ftruncateSync(file, size)
        throw error
      }
      bufferedText = ''
    },
    sync() {
      lines.flush()
      fsyncSync(file)
    },
    close() {
      lines.sync()
      closeSync(file)
    },
  }
  return lines
}

/** Creates a file that stores nothing, for messages that only this process needs. */
export function createMemoryLines(): LineFile {
  return { values: [], append() {}, flush() {}, sync() {}, close() {} }
}

function parseLines(path: string, content: string): unknown[] {
  return content
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return JSON.parse(line)
      } catch {
        throw new Error(`${path} is damaged at line ${index + 1}. Restore the folder from a backup, or move it away.`)
      }
    })
}
