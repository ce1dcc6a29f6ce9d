import { open } from 'node:fs/promises'
import {
  appendLeaf,
  bytesToHex,
  emptyFrontier,
  type Hex,
  hexToBytes,
  inclusionProof,
  type LogEntry,
} from '@tocsin/proof'
import { isEntry, isObject, type LogSource } from './log-source.ts'
import { ProofProblem, UsageProblem } from './outcome.ts'
import { quote } from './printable.ts'

/**
 * Opens a log in a file that was written by `--mirror` or as the archive of `log succeed`. It has
 * no signed checkpoint.
 */
export async function openFileSource(path: string): Promise<LogSource> {
  const { header, entries } = await readMirrorFile(path)
  const { firstSigner, contract, chainId } = header
  let readPath: ((index: number, size: number) => Hex[]) | null = null
  return {
    kind: 'file',
    name: quote(path),
    size: entries.length,
    async readConfig() {
      if (typeof firstSigner !== 'string' || typeof contract !== 'string' || typeof chainId !== 'number') {
        throw createMirrorError(path)
      }
      return { firstSigner, contract, chainId, rpcUrl: null }
    },
    async readCheckpoint() {
      throw new Error('A file has no checkpoint')
    },
    async readKeyEntries() {
      throw new Error('Key lists are read among the entries')
    },
    async readEntries(from, count) {
      return entries.slice(from, from + count)
    },
    async readInclusion(index, size) {
      const entry = entries[index]
      if (!entry || entry.bytes === null) return null
      readPath ??= createPathReader(entries)
      return { leafHash: entry.leafHash, bytes: entry.bytes, merklePath: readPath(index, size) }
    },
    url: null,
    readTrackRecord: rejectWithoutServer,
    readRecordAlerts: rejectWithoutServer,
    readMessages: rejectWithoutServer,
  }
}

async function rejectWithoutServer(): Promise<never> {
  throw new Error('A file has no messages')
}

/** @throws UsageProblem if the file is not a mirror, ProofProblem if it is damaged */
async function readMirrorFile(path: string): Promise<{ header: Record<string, unknown>; entries: LogEntry[] }> {
  const file = await open(path).catch(() => {
    throw new UsageProblem(`The file ${quote(path)} cannot be read`)
  })
  let header: Record<string, unknown> | null = null
  const entries: LogEntry[] = []
  try {
    for await (const line of file.readLines()) {
      if (line === '') continue
      const value = parseLine(line)
      if (header === null) {
        if (!isObject(value) || value.format !== 'tocsin-log-mirror' || value.version !== 1)
          throw createMirrorError(path)
        header = value
      } else if (isEntry(value)) entries.push(value)
      else throw new ProofProblem(`Line ${entries.length + 2} of the file is not an entry of a log`)
    }
  } finally {
    await file.close()
  }
  if (header === null) throw createMirrorError(path)
  return { header, entries }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function createMirrorError(path: string): UsageProblem {
  return new UsageProblem(`The file ${quote(path)} is not a copy of a log`)
}

function createPathReader(entries: readonly LogEntry[]): (index: number, size: number) => Hex[] {
  const hashes = new Map<string, Uint8Array>()
  let frontier = emptyFrontier
  for (const { leafHash } of entries) {
    const next = appendLeaf(frontier, hexToBytes(leafHash))
    frontier = next.frontier
    for (const { id, hash } of next.nodes) hashes.set(`${id.level}/${id.index}`, hash)
  }
  return (index, size) =>
    inclusionProof(index, size, ({ level, index }) => {
      const hash = hashes.get(`${level}/${index}`)
      if (!hash) throw new Error(`The tree has no node ${level}/${index}`)
      return hash
    }).map(bytesToHex)
}
