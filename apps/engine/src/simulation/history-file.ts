import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLineFile } from '../store/line-file.ts'
import type { Message } from '../store/outbox.ts'

/**
 * Creates the file for the messages of the history before the first start: one line for each
 * message, then `{"finished":true}`. Programs may read it while it grows. If the start is
 * interrupted, the next one writes the same lines again.
 */
export function createHistoryFile(folder: string) {
  const path = join(folder, 'history.jsonl')
  rmSync(path, { force: true })
  const file = openLineFile(path)
  return {
    write(messages: readonly Message[]) {
      for (const { kind, id, at, text } of messages) file.append({ kind, id, at, text })
      file.flush()
    },
    finish() {
      file.append({ finished: true })
      file.close()
    },
  }
}
