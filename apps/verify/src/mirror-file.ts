import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { LogEntry } from '@tocsin/proof'
import { UsageProblem } from './outcome.ts'
import { quote } from './printable.ts'
import type { Trust } from './trust.ts'

/**
 * A copy of the whole log with one line of JSON per entry. An operator can rebuild a lost log from
 * it.
 */
export interface Mirror {
  add(entries: readonly LogEntry[]): Promise<void>
  /** Renames the temporary file to its final name. Call only after the log passed all checks. */
  keep(): Promise<void>
  /** Deletes the temporary file if `keep` was not called. */
  close(): Promise<void>
}

/** @throws UsageProblem if the file can't be written */
export async function openMirror(
  path: string,
  { domain, firstSigner }: Pick<Trust, 'domain' | 'firstSigner'>,
): Promise<Mirror> {
  // Each run has its own temporary file, because runs can overlap if they are started regularly.
  const draft = `${path}.${randomUUID()}.part`
  const file = await openDraftFile(draft, path)
  const { chainId, verifyingContract: contract } = domain
  const header = { format: 'tocsin-log-mirror', version: 1, chainId, contract, firstSigner }
  await file.writeFile(`${JSON.stringify(header)}\n`)
  return {
    async add(entries) {
      const lines = entries.map(({ index, leafHash, bytes, signature }) =>
        JSON.stringify({ index, leafHash, bytes, signature }),
      )
      await file.writeFile(`${lines.join('\n')}\n`)
    },
    async keep() {
      await file.sync()
      await rename(draft, path)
    },
    async close() {
      await file.close()
      await rm(draft, { force: true })
    },
  }
}

async function openDraftFile(draft: string, path: string): Promise<FileHandle> {
  try {
    return await open(draft, 'wx', 0o600)
  } catch {
    throw new UsageProblem(`The file ${quote(path)} cannot be written`)
  }
}
