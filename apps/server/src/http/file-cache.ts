import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'

interface CachedFile {
  headers: Record<string, string>
  body: Buffer
}

export interface FileCache {
  /** Returns the response that was sent to an equal request before, or undefined. */
  find(request: FastifyRequest): CachedFile | undefined
  /** An `onSend` hook that stores complete responses. */
  store(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown>
}

const CACHED_HEADERS = [
  ...['cache-control', 'content-encoding', 'content-length', 'content-security-policy', 'content-type'],
  ...['etag', 'last-modified', 'vary'],
]

/**
 * Stores responses with immutable files in memory, because a page consists of dozens of files, and
 * reading one from disk takes several system calls. Only for files whose name contains a hash of
 * their content, because stored responses are never checked again.
 * @param maxBytes when it is exceeded, the files that were stored first are dropped
 */
export function createFileCache(maxBytes: number): FileCache {
  const files = new Map<string, CachedFile>()
  let bytes = 0

  function cacheFile(key: string, file: CachedFile): void {
    if (file.body.length > maxBytes || files.has(key)) return
    files.set(key, file)
    bytes += file.body.length
    for (const [oldest, { body }] of files) {
      if (bytes <= maxBytes) return
      files.delete(oldest)
      bytes -= body.length
    }
  }

  return {
    find(request) {
      const key = formatCacheKey(request)
      return key === null ? undefined : files.get(key)
    },
    async store(request, reply, payload) {
      const key = formatCacheKey(request)
      if (key === null || reply.statusCode !== 200 || !(payload instanceof Readable)) return payload
      const body = await buffer(payload)
      const headers: Record<string, string> = {}
      for (const name of CACHED_HEADERS) {
        const value = reply.getHeader(name)
        if (value !== undefined) headers[name] = String(value)
      }
      // A file that became shorter while it was read must not be stored.
      if (headers['content-length'] === String(body.length)) cacheFile(key, { headers, body })
      return body
    },
  }
}

/**
 * Returns a key that is equal for requests with the same response. Returns null for requests that
 * the cache does not handle: other methods than GET, URLs with a query, conditional requests, and
 * an Accept-Encoding header with q-values.
 */
function formatCacheKey({ method, url, headers }: FastifyRequest): string | null {
  if (method !== 'GET' || url.includes('?')) return null
  if (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) return null
  if (headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined) return null
  const acceptEncoding = headers['accept-encoding'] ?? ''
  if (!/^[\w, -]*$/.test(acceptEncoding)) return null
  const codings = acceptEncoding.split(/[ ,]+/)
  const coding = ['br', 'gzip'].find((each) => codings.includes(each)) ?? ''
  return `${coding} ${url}`
}
