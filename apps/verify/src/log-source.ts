import { type Hex, isHash, isIndex, type LogEntry } from '@tocsin/proof'
import {
  explainRefusal,
  formatOrigin,
  type Limits,
  parseJson,
  type RequestContent,
  readErrorBody,
  request,
} from './http.ts'
import { CannotCheck } from './outcome.ts'

interface GivenInclusion {
  leafHash: Hex
  merklePath: Hex[]
  bytes: string
}

/** The server's configuration. Untrusted unless the user pins the values. */
export interface GivenConfig {
  firstSigner: string
  contract: string
  chainId: number
  rpcUrl: string | null
}

export interface LogSource {
  kind: 'server' | 'file'
  name: string
  /** Number of entries of a file. Null for a server, whose signed checkpoint has the size. */
  size: number | null
  readConfig(): Promise<GivenConfig>
  /** The signed note as text. */
  readCheckpoint(): Promise<string>
  /** The key lists, not validated. */
  readKeyEntries(): Promise<unknown>
  /** Returns `count` entries in order from index `from`, or fewer if the log has no more. */
  readEntries(from: number, count: number): Promise<LogEntry[]>
  /**
   * Returns one entry with its inclusion proof for a tree size. Null while its content is withheld.
   */
  readInclusion(index: number, size: number): Promise<GivenInclusion | null>
  /** Null for a file, which has no messages and no record. */
  url: URL | null
  /** Returns the site's record. Null before the first anchor. */
  readTrackRecord(origin: string): Promise<SiteRecord | null>
  /**
   * Returns a page of the alerts in the site's record, in the site's order. The cursor of the first
   * page is empty.
   */
  readRecordAlerts(origin: string, cursor: string): Promise<{ items: SiteAlert[]; next: string | null }>
  /** Returns a page of the messages that entries reference, from an index on. */
  readMessages(from: number): Promise<{ messages: { index: number; message: string }[]; next: number | null }>
}

/**
 * The record that the site shows. It is compared with our own figures, so it is not validated
 * further.
 */
export interface SiteRecord {
  size: number
  /** Block time of the anchor. */
  at: string
  publicDelayMs: number
  overall: unknown
  coverage: unknown
  calibration: unknown
  recent: unknown
  /** The tables, by name. */
  by: unknown
}

export interface SiteAlert {
  logIndex: number
  status: string
}

type Fields = Record<string, unknown>

/** Number of alerts in each page of the site's record, except the last one. */
const ALERTS_PER_PAGE = 200

/**
 * Reads the log endpoints of a server. The methods throw CannotCheck if it does not respond or
 * sends an invalid response.
 * @param apiKey key of an account, with which the server also returns content that is not public
 *   yet. It is sent only with requests for the content of entries.
 */
export function createLogSource(server: URL, limits: Limits, apiKey: string | null = null): LogSource {
  const name = formatOrigin(server)
  const createResponseError = (path: string) =>
    new CannotCheck(`${name} does not respond to ${path} like a Tocsin server`)
  const readJson = async (path: string, content: RequestContent = {}): Promise<Fields> => {
    const url = new URL(path, server)
    const value = parseJson(await request(url, limits, content), url)
    if (!isObject(value)) throw createResponseError(url.pathname)
    return value
  }
  return {
    kind: 'server',
    name,
    size: null,
    async readConfig() {
      const path = '/api/config'
      const { firstSigner, anchor } = await readJson(path)
      if (typeof firstSigner !== 'string' || !isObject(anchor)) throw createResponseError(path)
      const { contract, chainId, rpcUrl } = anchor
      if (typeof contract !== 'string' || typeof chainId !== 'number') throw createResponseError(path)
      return { firstSigner, contract, chainId, rpcUrl: typeof rpcUrl === 'string' ? rpcUrl : null }
    },
    async readCheckpoint() {
      const url = new URL('/api/log/checkpoint', server)
      const response = await request(url, limits)
      if (response.status !== 200) throw explainRefusal(response, url)
      return response.text
    },
    async readKeyEntries() {
      return (await readJson('/api/log/keys')).entries
    },
    async readEntries(from, count) {
      const path = '/api/log/entries'
      const { entries } = await readJson(`${path}?from=${from}&limit=${count}`, { apiKey })
      const isPage = Array.isArray(entries) && entries.length <= count && entries.every(isEntry)
      if (!isPage) throw createResponseError(path)
      return entries
    },
    async readInclusion(index, size) {
      const url = new URL(`/api/log/inclusion?index=${index}&size=${size}`, server)
      const response = await request(url, limits, { apiKey })
      // Only this error shows that the content is withheld.
      if (response.status === 403 && readErrorBody(response).code === 'not_public_yet') return null
      const value = parseJson(response, url)
      if (!isInclusion(value)) throw createResponseError(url.pathname)
      return value
    },
    url: server,
    async readTrackRecord(origin) {
      const path = '/api/track-record'
      const { record } = await readJson(`${path}?origin=${origin}`)
      if (record === null) return null
      if (!isObject(record) || !isObject(record.asOf)) throw createResponseError(path)
      const { asOf, publicDelayHours, overall, coverage, calibration, recent, by } = record
      const { size, at } = asOf
      const isRecord = typeof size === 'number' && typeof at === 'string' && typeof publicDelayHours === 'number'
      if (!isRecord) throw createResponseError(path)
      return { size, at, publicDelayMs: publicDelayHours * 3_600_000, overall, coverage, calibration, recent, by }
    },
    async readRecordAlerts(origin, cursor) {
      const path = '/api/track-record/alerts'
      const query = `origin=${origin}&limit=${ALERTS_PER_PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`
      const { items, next } = await readJson(`${path}?${query}`)
      const isPage = Array.isArray(items) && items.every(isSiteAlert) && (next === null || typeof next === 'string')
      if (!isPage || (next !== null && items.length < ALERTS_PER_PAGE)) throw createResponseError(path)
      return { items, next }
    },
    async readMessages(from) {
      const path = '/api/log/messages'
      const { messages, next } = await readJson(`${path}?from=${from}`)
      const isPage =
        Array.isArray(messages) && messages.every(isMessage) && (next === null || Number.isSafeInteger(next))
      if (!isPage) throw createResponseError(path)
      return { messages, next: next === null ? null : Number(next) }
    },
  }
}

function isSiteAlert(value: unknown): value is SiteAlert {
  return isObject(value) && isIndex(value.logIndex) && typeof value.status === 'string'
}

function isMessage(value: unknown): value is { index: number; message: string } {
  return isObject(value) && isIndex(value.index) && typeof value.message === 'string'
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isEntry(value: unknown): value is LogEntry {
  if (!isObject(value)) return false
  const { index, leafHash, bytes, signature } = value
  return Number.isSafeInteger(index) && isHash(leafHash) && isTextOrNull(bytes) && isTextOrNull(signature)
}

function isInclusion(value: unknown): value is GivenInclusion {
  if (!isObject(value)) return false
  const { leafHash, merklePath, bytes } = value
  return isHash(leafHash) && Array.isArray(merklePath) && merklePath.every(isHash) && typeof bytes === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}
