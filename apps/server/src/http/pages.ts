import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'

/** The built site: hashed assets for ever, and the one page for every other path that a browser asks for. */
export async function installPages(app: FastifyInstance, config: Config): Promise<void> {
  const { webDir, publicUrl } = config.http
  const page = webDir && (await readFile(join(webDir, 'index.html'), 'utf8'))
  const publicHost = new URL(publicUrl).host
  if (webDir) await serveFiles(app, webDir)

  app.setNotFoundHandler((request, reply) => {
    if (page === null || !asksForPage(request)) throw new Refusal('not_found', 'Not found')
    // Cookies, wallet sign-in and write checks are bound to one origin: 127.0.0.1 typed for localhost would half work.
    if (request.host !== publicHost) return reply.redirect(`${publicUrl}${request.url.replace(/^\/+/, '/')}`, 302)
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page)
  })
}

/**
 * A path, that is: to a proxy one may send a whole address, and we are none. Programs (curl, crawlers) take anything and get the page too, but not in
 * place of a file that is gone.
 */
function asksForPage({ method, headers, url }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead || !url.startsWith('/') || url.startsWith('/api/')) return false
  const accept = headers.accept ?? '*/*'
  const namesFile = /\.[^/]*$/.test(url.split('?')[0] ?? '')
  return accept.includes('text/html') || (accept.includes('*/*') && !namesFile)
}

async function serveFiles(app: FastifyInstance, webDir: string): Promise<void> {
  const hashedFiles = join(webDir, 'assets/')
  await app.register(fastifyStatic, {
    root: webDir,
    index: false,
    wildcard: false,
    preCompressed: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.startsWith(hashedFiles) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
