import type { EndpointName, LogAnchor, ResponseOf } from '@tocsin/protocol'
import type { RecordSnapshot } from './proof-task.ts'

/** `call` of the API client. */
export type Call = <N extends EndpointName>(
  name: N,
  input?: { query?: Record<string, string | number> },
) => Promise<ResponseOf<N>>

type Site = RecordSnapshot['site']

const maxAttempts = 3
const pageSize = 1_000

/**
 * Loads what a recount of the last 30 days needs, from public endpoints only.
 * @returns null if there is no record, or no alert in it that is new enough
 */
export async function loadRecount(call: Call, origin: 'feed' | 'demo'): Promise<RecordSnapshot | null> {
  const shown = await loadShown(call, origin)
  if (!shown) return null
  const { site, alerts } = shown
  const { fromIndex } = site.recent
  const { size } = site.asOf
  if (fromIndex >= size) return null
  const [{ entries: keys }, anchors, entries, messages, path] = await Promise.all([
    call('logKeys'),
    loadAnchors(call, fromIndex, size),
    loadEntries(call, fromIndex, size),
    loadMessages(call, fromIndex, size),
    fromIndex === 0
      ? []
      : call('logInclusion', { query: { index: fromIndex, size } }).then((given) => given.merklePath),
  ])
  return { site, alerts, keys, anchors, entries, messages, path }
}

/** The record and its alerts, both as of the same anchor. */
async function loadShown(call: Call, origin: string): Promise<Pick<RecordSnapshot, 'site' | 'alerts'> | null> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { record: site } = await call('trackRecord', { query: { origin } })
    if (!site) return null
    const alerts = await loadAlerts(call, site)
    const { record: after } = await call('trackRecord', { query: { origin } })
    if (after?.asOf.blockHash === site.asOf.blockHash) return { site, alerts }
  }
  throw new Error('The record changed while it was read. Try again.')
}

async function loadAlerts(call: Call, { origin, recent }: Site): Promise<RecordSnapshot['alerts']> {
  const alerts: RecordSnapshot['alerts'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = { origin, limit: 200, ...(cursor === '' ? {} : { cursor }) }
    const page: ResponseOf<'trackRecordAlerts'> = await call('trackRecordAlerts', { query })
    const recentOnes = page.items.filter(({ logIndex }) => logIndex >= recent.fromIndex)
    alerts.push(...recentOnes)
    cursor = recentOnes.length === page.items.length ? page.next : null
  }
  return alerts.reverse()
}

async function loadAnchors(call: Call, fromIndex: number, size: number): Promise<LogAnchor[]> {
  const anchors: LogAnchor[] = []
  for (let above = fromIndex; above < size; ) {
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
