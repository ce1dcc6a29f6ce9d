import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** A text that is the same for everyone. Each form is made once, when it is first asked for: brotli takes 0.1 s a page. */
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

/** Sends the smallest form that the Accept-Encoding header allows. The caller sets `Vary`. */
export async function sendCompressed(reply: FastifyReply, text: CompressedText, accepted: string) {
  if (accepts(accepted, 'br')) return reply.header('content-encoding', 'br').send(await text.brotli())
  if (accepts(accepted, 'gzip')) return reply.header('content-encoding', 'gzip').send(await text.gzip())
  return reply.send(text.plain)
}

/** Whether an Accept-Encoding header names this coding, and not in order to refuse it (RFC 9110, 12.5.3). */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((entry) => {
    const [name = '', quality = ''] = entry.split(';')
    return name.trim() === coding && !/^\s*q=0(?:\.0*)?\s*$/.test(quality)
  })
}
