import { createHash } from 'node:crypto'
import {
  createRecordReader,
  decodeStatement,
  type Hex,
  judgeOutcome,
  type RecordAnchor,
  type RecordOptions,
  summarizeRecord,
  type TrackRecord,
} from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { createControlRates } from './control-rates.ts'
import * as store from './store.ts'

const PAGE = 200

/** What has been read so far. */
interface Progress {
  reader: ReturnType<typeof createRecordReader>
  anchors: readonly RecordAnchor[]
  /** Index of the next entry to read. */
  next: number
}

/**
 * Computes records of one origin as of growing anchors. It reads and judges each entry once, and
 * goes on from the last anchor. The result is the same as that of reading everything again. Calls
 * must not overlap.
 */
export function createRecordComputation(origin: 'feed' | 'demo') {
  const readControlRates = createControlRates()
  let progress: Progress | null = null

  /** @param size of the anchor that the record is as of */
  return async (ctx: Context, size: number): Promise<TrackRecord> => {
    const anchors = await listAnchors(ctx, size)
    const publicDelayMs = ctx.config.publicDelayHours * HOUR_MS
    const options: RecordOptions = { anchors, publicDelayMs, origin, hashMessage }
    // A reorg of the anchor chain can replace anchors, which decides what was witnessed.
    const known = progress && isBeginning(progress.anchors, anchors) ? progress : null
    const current: Progress = known ?? { reader: createRecordReader(options), anchors, next: 0 }
    current.reader.extend(anchors)
    current.anchors = anchors
    progress = current
    await readEntries(ctx, current, size)
    const alerts = current.reader.finish()
    return summarizeRecord(alerts, options, await readControlRates(ctx, alerts, anchors))
  }
}

async function listAnchors(ctx: Context, size: number): Promise<RecordAnchor[]> {
  const rows = await store.listRecordAnchors(ctx.db, size)
  // The anchoring worker stores hashes as the node writes them.
  return rows.map(({ blockAt, blockHash, ...row }) => ({
    ...row,
    blockAt: blockAt.toISOString(),
    blockHash: blockHash as Hex,
  }))
}

/** Reads a page from the database while the page before it is judged. */
async function readEntries(ctx: Context, progress: Progress, size: number): Promise<void> {
  const read = (from: number) => {
    const page = from < size ? store.listRecordEntries(ctx.db, from, Math.min(PAGE, size - from)).execute() : null
    // Handled when the page is awaited.
    page?.catch(() => {})
    return page
  }
  const { reader } = progress
  for (let page = read(progress.next); page; ) {
    const entries = await page
    if (entries.length === 0) {
      throw new Error(`The log has no entry ${progress.next}, but an anchor of ${size} entries`)
    }
    page = read(progress.next + entries.length)
    for (const { index, leafHash, bytes, message } of entries) {
      const task = reader.add({ index, leafHash: toFlatHex(leafHash), statement: decodeStatement(bytes), message })
      if (task) reader.settle(task, judgeOutcome(task, hashMessage))
      progress.next = index + 1
    }
  }
}

function isBeginning(shorter: readonly RecordAnchor[], longer: readonly RecordAnchor[]): boolean {
  return shorter.every(({ size, blockHash }, at) => {
    const other = longer[at]
    return other?.size === size && other.blockHash === blockHash
  })
}

/**
 * The reader keeps the hash of every alert. `bytesToHex` appends digit by digit, and V8 keeps the
 * chain of parts: 900 bytes for each hash instead of 120.
 */
function toFlatHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Much faster than hashing in JavaScript. */
function hashMessage(message: string): Hex {
  return `0x${createHash('sha256').update(message).digest('hex')}`
}
