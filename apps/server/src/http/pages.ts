import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'

/** The built site: hashed assets for ever, and the one page for every other path that a browser asks for. */
export async function installPages(app: FastifyInstance, config: Config): Promise<void> {
  const { webDir, publicUrl } = config.http
  if (webDir === null) return
  const page = await readFile(join(webDir, 'index.html'), 'utf8')
  const publicHost = new URL(publicUrl).host

  await app.register(fastifyStatic, {
    root: webDir,
    index: false,
    wildcard: false,
    preCompressed: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.setNotFoundHandler((request, reply) => {
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') && request.headers.accept?.includes('text/html')
    if (!isPage || request.url.startsWith('/api/')) throw new Refusal('not_found', 'Not found')
    // Cookies, wallet sign-in and write checks are bound to one origin: 127.0.0.1 typed for localhost would half work.
    if (request.headers.host !== publicHost)
      return reply.redirect(`${publicUrl}${request.url.replace(/^\/+/, '/')}`, 302)
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page)
  })
}
