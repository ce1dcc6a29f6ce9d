import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineEvent } from '@tocsin/engine'
import { syncFolder, writeFileAtomic } from './atomic-file.ts'
import { decodeEvent, encodeEvent } from './event-line.ts'
import { openLineFile } from './line-file.ts'

/** Stores the state of the engine and the events since then. */
export interface EventStore {
  /** The newest snapshot; null on the first start. */
  readonly snapshot: string | null
  /** Events since the snapshot, in their order. */
  readonly events: Iterable<EngineEvent>
  append(event: EngineEvent): void
  flush(): void
  sync(): void
  /** Replaces the snapshot and drops the events before it. */
  save(snapshot: string): void
  close(): void
}

interface SavedSnapshot {
  /** Number of the first journal whose events are not in the snapshot. */
  journal: number
  state: string
}

const SNAPSHOT_NAME = 'snapshot.json'
const JOURNAL_PATTERN = /^journal-(\d+)\.jsonl$/

/**
 * Stores snapshots and journals in a folder. A new journal begins before its snapshot is written,
 * and older journals are deleted afterwards, so a crash at any point neither loses nor repeats an
 * event.
 * @throws Error if a file is damaged
 */
export function openEventStore(folder: string): EventStore {
  const savedSnapshot = readSnapshot(join(folder, SNAPSHOT_NAME))
  const firstNumber = savedSnapshot?.journal ?? 0
  const numbers = listJournals(folder).filter((number) => number >= firstNumber)
  const getPath = (number: number) => join(folder, `journal-${number}.jsonl`)
  let currentNumber = Math.max(firstNumber, ...numbers)
  const olderJournals = numbers
    .filter((number) => number < currentNumber)
    .map((number) => openLineFile(getPath(number)))
  let journal = openLineFile(getPath(currentNumber))
  let state = savedSnapshot?.state ?? null
  let eventLines = [...olderJournals, journal].flatMap((file) => file.values)
  for (const file of olderJournals) file.close()
  syncFolder(folder)

  return {
    get snapshot() {
      return state
    },
    events: { [Symbol.iterator]: () => eventLines.map(decodeEvent).values() },
    append: (event) => journal.append(encodeEvent(event)),
    flush: () => journal.flush(),
    sync: () => journal.sync(),
    save(newestState) {
      state = newestState
      eventLines = []
      journal.close()
      currentNumber += 1
      journal = openLineFile(getPath(currentNumber))
      const content: SavedSnapshot = { journal: currentNumber, state: newestState }
      writeFileAtomic(join(folder, SNAPSHOT_NAME), JSON.stringify(content))
      for (const number of listJournals(folder)) if (number < currentNumber) rmSync(getPath(number), { force: true })
    },
    close: () => journal.close(),
  }
}

/**
 * Creates a store in memory that has only the newest snapshot, for a run that starts again if it is
 * interrupted.
 */
export function createMemoryStore(): EventStore {
  let snapshot: string | null = null
  return {
    get snapshot() {
      return snapshot
    },
    events: [],
    append() {},
    flush() {},
    sync() {},
    save(state) {
      snapshot = state
    },
    close() {},
  }
}

function listJournals(folder: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, number] = JOURNAL_PATTERN.exec(name) ?? []
      return number === undefined ? [] : [Number(number)]
    })
    .sort((a, b) => a - b)
}

function readSnapshot(path: string): SavedSnapshot | null {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  try {
    const { journal, state }: { journal?: unknown; state?: unknown } = JSON.parse(content)
    if (typeof journal === 'number' && typeof state === 'string') return { journal, state }
  } catch {
    // Invalid JSON is reported by the error below, like JSON with other fields.
  }
  throw new Error(`${path} is damaged. Restore the folder from a backup, or move it away.`)
}
