import { availableParallelism } from 'node:os'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import {
  type Address,
  decodeStatement,
  hashStatement,
  type LogEntry,
  type ProofDomain,
  type RecoverKey,
  recoverSigner,
} from '@tocsin/proof'
import { findRecoverKey } from '@tocsin/proof/libsecp256k1'

/** Threads that recover the signers of log entries, which takes most of the time of a check. */
export interface SignerPool {
  /** The signer of each entry, null if its content or signature is malformed. */
  recover(entries: readonly LogEntry[]): Promise<(Address | null)[]>
  close(): Promise<void>
}

interface Part {
  id: number
  entries: Pick<LogEntry, 'bytes' | 'signature'>[]
}
interface Recovered {
  id: number
  signers: (Address | null)[]
}

const PURPOSE = 'recover signers'
/** True in a thread of the pool: it loads the program, which must not run there. */
export const isSignerThread = workerData?.purpose === PURPOSE

/**
 * Starts one thread for each core. Callers must close the pool. Null when the program runs from its
 * TypeScript sources, which threads of Node 20 cannot load.
 */
export function createSignerPool(domain: ProofDomain): SignerPool | null {
  if (import.meta.url.endsWith('.ts')) return null
  const waiting = new Map<number, { resolve(signers: (Address | null)[]): void; reject(error: Error): void }>()
  const threads = Array.from({ length: availableParallelism() }, () => {
    const thread = new Worker(new URL(import.meta.url), { workerData: { purpose: PURPOSE, domain } })
    thread.on('message', ({ id, signers }: Recovered) => {
      waiting.get(id)?.resolve(signers)
      waiting.delete(id)
    })
    thread.on('error', (error: Error) => {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    })
    return thread
  })
  let parts = 0

  return {
    async recover(entries) {
      const length = Math.ceil(entries.length / threads.length)
      const signers = await Promise.all(
        threads.map((thread, at) => {
          const part: Part = {
            id: parts++,
            entries: entries
              .slice(at * length, (at + 1) * length)
              .map(({ bytes, signature }) => ({ bytes, signature })),
          }
          return new Promise<(Address | null)[]>((resolve, reject) => {
            waiting.set(part.id, { resolve, reject })
            thread.postMessage(part)
          })
        }),
      )
      return signers.flat()
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}

if (isSignerThread) {
  const recoverKey = await findRecoverKey()
  parentPort?.on('message', ({ id, entries }: Part) => {
    const signers = entries.map((entry) => recoverEntry(entry, workerData.domain, recoverKey))
    parentPort?.postMessage({ id, signers } satisfies Recovered)
  })
}

function recoverEntry(
  { bytes, signature }: Part['entries'][number],
  domain: ProofDomain,
  recoverKey: RecoverKey | undefined,
): Address | null {
  if (bytes === null || signature === null) return null
  try {
    const statement = decodeStatement(new TextEncoder().encode(bytes))
    return recoverSigner(hashStatement(domain, statement), signature, recoverKey)
  } catch {
    // The check reports malformed content when it decodes the entry.
    return null
  }
}
