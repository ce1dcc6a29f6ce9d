import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** A text that is the same for everyone, compressed once instead of for each request. */
export interface CompressedText {
  plain: string
  gzip: Buffer
  brotli: Buffer
}

export function compressText(plain: string): CompressedText {
  return { plain, gzip: gzipSync(plain, { level: 9 }), brotli: brotliCompressSync(plain) }
}

/** Sends the smallest form that the Accept-Encoding header allows. The caller sets `Vary`. */
export function sendCompressed(reply: FastifyReply, { plain, gzip, brotli }: CompressedText, accepted: string) {
  if (accepts(accepted, 'br')) return reply.header('content-encoding', 'br').send(brotli)
  if (accepts(accepted, 'gzip')) return reply.header('content-encoding', 'gzip').send(gzip)
  return reply.send(plain)
}

/** Whether an Accept-Encoding header names this coding, and not in order to refuse it (RFC 9110, 12.5.3). */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((entry) => {
    const [name = '', quality = ''] = entry.split(';')
    return name.trim() === coding && !/^\s*q=0(?:\.0*)?\s*$/.test(quality)
  })
}
