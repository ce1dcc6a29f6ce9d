import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/**
 * A static text in several encodings. Each encoding is computed once, at its first use, because
 * brotli takes 0.1 s per page.
 */
export interface CompressedText {
  plain: string
  gzip(): Promise<Buffer>
  brotli(): Promise<Buffer>
}

const toGzip = promisify(gzip)
const toBrotli = promisify(brotliCompress)

export function compressText(plain: string): CompressedText {
  let gzipped: Promise<Buffer> | undefined
  let brotlied: Promise<Buffer> | undefined
  return {
    plain,
    gzip() {
      gzipped ??= toGzip(plain, { level: 9 })
      return gzipped
    },
    brotli() {
      brotlied ??= toBrotli(plain)
      return brotlied
    },
  }
}

/** Sends the smallest encoding that Accept-Encoding allows. The caller sets `Vary`. */
export async function sendCompressed(reply: FastifyReply, text: CompressedText, accepted: string) {
  if (accepts(accepted, 'br')) return reply.header('content-encoding', 'br').send(await text.brotli())
  if (accepts(accepted, 'gzip')) return reply.header('content-encoding', 'gzip').send(await text.gzip())
  return reply.send(text.plain)
}

/** True if an Accept-Encoding header lists the coding without q=0 (RFC 9110, 12.5.3). */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((entry) => {
    const [name = '', quality = ''] = entry.split(';')
    return name.trim() === coding && !/^\s*q=0(?:\.0*)?\s*$/.test(quality)
  })
}
