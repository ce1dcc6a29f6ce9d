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

export function compressText(plainText: string): CompressedText {
  let gzipResult: Promise<Buffer> | undefined
  let brotliResult: Promise<Buffer> | undefined
  return {
    plain: plainText,
    gzip() {
      gzipResult ??= toGzip(plainText, { level: 9 })
      return gzipResult
    },
    brotli() {
      brotliResult ??= toBrotli(plainText)
      return brotliResult
    },
  }
}

/** Sends the smallest encoding that Accept-Encoding allows. The caller sets `Vary`. */
export async function sendCompressed(reply: FastifyReply, text: CompressedText, acceptEncoding: string) {
  if (acceptsCoding(acceptEncoding, 'br')) return reply.header('content-encoding', 'br').send(await text.brotli())
  if (acceptsCoding(acceptEncoding, 'gzip')) return reply.header('content-encoding', 'gzip').send(await text.gzip())
  return reply.send(text.plain)
}

/** True if an Accept-Encoding header lists the coding without q=0 (RFC 9110, 12.5.3). */
function acceptsCoding(header: string, coding: string): boolean {
  return header.split(',').some((entry) => {
    const [name = '', quality = ''] = entry.split(';')
    return name.trim() === coding && !/^\s*q=0(?:\.0*)?\s*$/.test(quality)
  })
}
