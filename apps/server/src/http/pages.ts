import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'
import { sendCompressed } from './compressed.ts'
import { proofWorkerPolicy } from './security.ts'
import { isInternalFile, readSitePages } from './site-pages.ts'

/** The one script with a policy of its own, compressed or not: a worker obeys the policy that its script came with. */
const proofWorker = /\/assets\/proof-worker-[\w-]+\.js(?:\.br|\.gz)?$/

/** The built site: hashed assets for ever, a page for each address that has one, and for every other path the one that says so. */
export async function installPages(
  app: FastifyInstance,
  config: Config,
  hasSession: (request: FastifyRequest) => boolean,
): Promise<void> {
  const { webDir, publicUrl } = config.http
  const pages = webDir === null ? null : await readSitePages(webDir, publicUrl)
  const publicHost = new URL(publicUrl).host
  if (webDir) await serveFiles(app, webDir)
  if (pages) {
    const options = { schema: { hide: true }, exposeHeadRoute: true }
    app.get('/robots.txt', options, (_request, reply) => reply.type('text/plain').send(pages.robots))
    app.get('/sitemap.xml', options, (_request, reply) => reply.type('application/xml').send(pages.siteMap))
  }

  // Pages are served here too. Without an own limit, unknown paths would have none.
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (request, reply) => {
    if (pages === null || !asksForPage(request)) throw new Refusal('not_found', 'Not found')
    // Cookies, wallet sign-in and write checks are bound to one origin: 127.0.0.1 typed for localhost would half work.
    if (request.host !== publicHost) return reply.redirect(`${publicUrl}${request.url.replace(/^\/+/, '/')}`, 302)
    const { status, page, withSession } = pages.find(request.url.split('?')[0] ?? '')
    reply.code(status).header('cache-control', 'no-cache').type('text/html; charset=utf-8')
    reply.header('vary', withSession ? 'Accept-Encoding, Cookie' : 'Accept-Encoding')
    return sendCompressed(reply, (hasSession(request) && withSession) || page, request.headers['accept-encoding'] ?? '')
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
    // The build puts compressed ones beside each file.
    preCompressed: true,
    // Nothing here is large, and a range that no file has would be a fault.
    acceptRanges: false,
    allowedPath: (path) => !isInternalFile(path),
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.startsWith(hashedFiles) ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (proofWorker.test(path)) reply.header('content-security-policy', proofWorkerPolicy)
    },
  })
}
