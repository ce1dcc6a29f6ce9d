import { isCounted } from '@tocsin/proof'
import type { EndpointName, LogAnchor, ResponseOf } from '@tocsin/protocol'
import type { RecordSnapshot } from './proof-task.ts'

/** The type of `call` of the API client. */
export type Call = <N extends EndpointName>(
  name: N,
  input?: { params?: Record<string, string>; query?: Record<string, string | number> },
) => Promise<ResponseOf<N>>

type Site = RecordSnapshot['siteRecord']

const maxAttempts = 3
const pageSize = 1_000
/**
 * Anchors are loaded from this many entries before the first recomputed entry. Base rates need
 * them: the base rate of a day is measured at control minutes, which the block hash of the first
 * anchor after that day selects. That anchor may cover only entries before the first recomputed
 * one.
 */
const anchorLookbackEntries = 2_000
const daysPerBatch = 4
const rateLimitRetryMs = 10_000

/**
 * Loads the data to recompute the record of the last 30 days, from public endpoints only.
 * @returns null if there is no record, or if it has no alert of the last 30 days
 */
export async function loadRecordSnapshot(call: Call, origin: 'feed' | 'demo'): Promise<RecordSnapshot | null> {
  const shownRecord = await loadShownRecord(call, origin)
  if (!shownRecord) return null
  const { siteRecord, alerts } = shownRecord
  const { fromIndex } = siteRecord.recent
  const { size } = siteRecord.asOf
  if (fromIndex >= size) return null
  const [{ entries: keys }, anchors, entries, messages, days, path] = await Promise.all([
    call('logKeys'),
    loadAnchors(call, Math.max(0, fromIndex - anchorLookbackEntries), size),
    loadEntries(call, fromIndex, size),
    loadMessages(call, fromIndex, size),
    loadDays(call, alerts),
    fromIndex === 0
      ? []
      : call('logInclusion', { query: { index: fromIndex, size } }).then((inclusion) => inclusion.merklePath),
  ])
  return { siteRecord, alerts, keys, anchors, entries, messages, days, inclusionPath: path }
}

/** Loads the record and its alerts, both as of the same anchor. */
async function loadShownRecord(
  call: Call,
  origin: string,
): Promise<Pick<RecordSnapshot, 'siteRecord' | 'alerts'> | null> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { record: siteRecord } = await call('trackRecord', { query: { origin } })
    if (!siteRecord) return null
    const alerts = await loadAlerts(call, siteRecord)
    const { record: recordAfter } = await call('trackRecord', { query: { origin } })
    if (recordAfter?.asOf.blockHash === siteRecord.asOf.blockHash) return { siteRecord, alerts }
  }
  throw new Error('The record changed while it was read. Try again.')
}

async function loadAlerts(call: Call, { origin, recent }: Site): Promise<RecordSnapshot['alerts']> {
  const alerts: RecordSnapshot['alerts'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = { origin, limit: 200, ...(cursor === '' ? {} : { cursor }) }
    const page: ResponseOf<'trackRecordAlerts'> = await call('trackRecordAlerts', { query })
    const recentItems = page.items.filter(({ logIndex }) => logIndex >= recent.fromIndex)
    alerts.push(...recentItems)
    cursor = recentItems.length === page.items.length ? page.next : null
  }
  return alerts.reverse()
}

async function loadAnchors(call: Call, from: number, size: number): Promise<LogAnchor[]> {
  const anchors: LogAnchor[] = []
  for (let above = from; above < size; ) {
    const { anchors: page } = await call('logAnchors', { query: { above, limit: pageSize } })
    anchors.push(...page.filter((anchor) => anchor.size <= size))
    above = page.length < pageSize ? size : (page.at(-1)?.size ?? size)
  }
  return anchors
}

async function loadEntries(call: Call, fromIndex: number, size: number): Promise<RecordSnapshot['entries']> {
  const entries: RecordSnapshot['entries'] = []
  for (let from = fromIndex; from < size; ) {
    const page = await call('logEntries', { query: { from, limit: Math.min(pageSize, size - from) } })
    if (page.entries.length === 0) break
    entries.push(...page.entries)
    from += page.entries.length
  }
  return entries
}

async function loadMessages(call: Call, fromIndex: number, size: number): Promise<RecordSnapshot['messages']> {
  const messages: RecordSnapshot['messages'] = []
  for (let from: number | null = fromIndex; from !== null && from < size; ) {
    const page: ResponseOf<'logMessages'> = await call('logMessages', { query: { from } })
    messages.push(...page.messages)
    from = page.next !== null && page.next > from ? page.next : null
  }
  return messages
}

type Day = RecordSnapshot['days'][number]

/**
 * Loads the candles for the predictions of counted alerts. Omits days without candles on the
 * server.
 */
async function loadDays(call: Call, alerts: RecordSnapshot['alerts']): Promise<Day[]> {
  const wantedDays = new Map<string, Omit<Day, 'candles'>>()
  for (const { status, prediction } of alerts) {
    if (!prediction || !isCounted(status)) continue
    const day = prediction.startsAt.slice(0, 10)
    for (const { venue, market } of [prediction, ...(prediction.other ? [prediction.other] : [])]) {
      wantedDays.set(JSON.stringify([venue, market, day]), { venue, market, day })
    }
  }
  const daysToLoad = [...wantedDays.values()]
  const days: Day[] = []
  for (let index = 0; index < daysToLoad.length; index += daysPerBatch) {
    const loadedDays = await Promise.all(daysToLoad.slice(index, index + daysPerBatch).map((day) => loadDay(call, day)))
    days.push(...loadedDays.flatMap((day) => day ?? []))
  }
  return days
}

async function loadDay(call: Call, day: Omit<Day, 'candles'>): Promise<Day | null> {
  for (;;) {
    try {
      const { candles } = await call('logCandles', { params: day })
      return { ...day, candles: JSON.stringify(candles) }
    } catch (error) {
      const status = error instanceof Error && 'status' in error ? error.status : null
      if (status === 404) return null
      if (status !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, rateLimitRetryMs))
    }
  }
}
