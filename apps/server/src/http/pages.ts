import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'
import { type CompressedText, compressText, sendCompressed } from './compressed.ts'
import { createFileCache } from './file-cache.ts'
import { retainOldAssets } from './retain-old-assets.ts'
import { allowEmbedding, proofWorkerPolicy, recomputeWorkerPolicy } from './security.ts'
import { isInternalFile, readSitePages } from './site-pages.ts'

/**
 * Matches the workers, compressed or not. They are the only scripts with separate policies,
 * because a worker uses the policy in the response with its script.
 */
const worker = /\/(proof|recompute)-worker-[\w-]+\.js(?:\.br|\.gz)?$/
const workerPolicies: Record<string, string> = { proof: proofWorkerPolicy, recompute: recomputeWorkerPolicy }

/**
 * Matches the names that the build gives to hashed files. Every other path below /assets/ is the
 * page of a market asset.
 */
const HASHED_FILE = '/assets/:file(^\\w[\\w.-]*\\.\\w+$)'

/** Maximum size of the files in memory. Enough for several compressed builds of the site. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024

/** A page with content that is known only while the server runs. */
export interface PageWithContent {
  path: string
  /** Name of the element whose content is replaced. The page contains it once. */
  element: string
  /** Returns the content, or null if the page is served as it was built. */
  find(query: URLSearchParams): Promise<PageContent | null>
}

interface PageContent {
  /** HTML without scripts and style attributes. */
  html: string
  /** True if the HTML depends on the query, so that caching its compressed form is of no use. */
  isForQuery: boolean
}

/** Pages whose content depends on their path and is known only while the server runs. */
export interface LivePages {
  /** True for each path that these pages respond to, with a page or with 404. */
  owns(path: string): boolean
  /** Returns the page at this path, or null if the path has no page. */
  render(path: string, query: URLSearchParams): Promise<LivePage | null>
}

interface LivePage {
  html: string
  /** True if other sites may show the page in a frame. */
  isEmbeddable: boolean
}

/**
 * Serves the built site: immutable hashed assets, a page for each known path, and the 404 page for
 * all others.
 */
export async function installPages(
  app: FastifyInstance,
  config: Config,
  hasSession: (request: FastifyRequest) => boolean,
  pageWithContent: PageWithContent,
  livePages: LivePages,
): Promise<void> {
  const { webDir, keptAssetsDir, publicUrl } = config.http
  const pages = webDir === null ? null : await readSitePages(webDir, publicUrl)
  const fillPage = createPageFiller(pageWithContent)
  const publicHost = new URL(publicUrl).host
  if (webDir) await serveFiles(app, webDir, keptAssetsDir)
  if (pages) {
    const options = { schema: { hide: true }, exposeHeadRoute: true }
    app.get('/robots.txt', options, (_request, reply) => reply.type('text/plain').send(pages.robots))
    app.get('/sitemap.xml', options, (_request, reply) => reply.type('application/xml').send(pages.siteMap))
  }

  // This handler serves pages too, so it needs a rate limit of its own. It reads no API key, so
  // requests with one are limited like all others.
  app.setNotFoundHandler({ preHandler: app.rateLimit({ allowList: () => false }) }, async (request, reply) => {
    if (pages === null || !isPageRequest(request)) throw new Refusal('not_found', 'Not found')
    // Redirect to the public origin: cookies, wallet sign-in and write checks are bound to it, so
    // 127.0.0.1 instead of localhost would only partly work.
    if (request.host !== publicHost) return reply.redirect(`${publicUrl}${request.url.replace(/^\/+/, '/')}`, 302)
    const [path = '', search] = request.url.split('?')
    const query = new URLSearchParams(search)
    const acceptEncoding = request.headers['accept-encoding'] ?? ''
    const livePage = livePages.owns(path) ? await livePages.render(path, query) : null
    if (livePage) {
      if (livePage.isEmbeddable) allowEmbedding(reply)
      reply.header('cache-control', 'no-cache').header('vary', 'Accept-Encoding').type('text/html; charset=utf-8')
      return sendCompressed(reply, compressText(livePage.html), removeBrotli(acceptEncoding))
    }
    const { status, page, withSession } = pages.find(path)
    reply.code(status).header('cache-control', 'no-cache').type('text/html; charset=utf-8')
    reply.header('vary', withSession ? 'Accept-Encoding, Cookie' : 'Accept-Encoding')
    if (hasSession(request) && withSession) return sendCompressed(reply, withSession, acceptEncoding)
    const { text, isForQuery } = await fillPage(path, query, page)
    return sendCompressed(reply, text, isForQuery ? removeBrotli(acceptEncoding) : acceptEncoding)
  })
}

/**
 * Removes brotli from the accepted encodings. It takes 0.1 s, too long for a page that is
 * compressed for each request.
 */
function removeBrotli(acceptEncoding: string): string {
  return acceptEncoding
    .split(',')
    .filter((coding) => !/^\s*br\b/.test(coding))
    .join(',')
}

/**
 * Returns a function that fills the page at its path. Content that is the same for all readers is
 * compressed once.
 */
function createPageFiller({ path: filledPath, element, find }: PageWithContent) {
  const content = new RegExp(`(<${element}[^>]*>).*(</${element}>)`, 's')
  let lastFilled: { html: string; text: CompressedText } | null = null
  return async (path: string, query: URLSearchParams, page: CompressedText) => {
    if (path.replace(/(.)\/$/, '$1') !== filledPath) return { text: page, isForQuery: false }
    const pageContent = await find(query)
    if (pageContent === null) return { text: page, isForQuery: false }
    const { html, isForQuery } = pageContent
    if (!isForQuery && lastFilled?.html === html) return { text: lastFilled.text, isForQuery }
    const text = compressText(page.plain.replace(content, (_all, head, foot) => `${head}${html}${foot}`))
    if (!isForQuery) lastFilled = { html, text }
    return { text, isForQuery }
  }
}

/**
 * True if the client requests a page by its path. Absolute URLs are for proxies, so they are
 * rejected. Programs that accept any type (curl, crawlers) get pages too, but not if the path is
 * that of a missing file.
 */
function isPageRequest({ method, headers, url }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead || !url.startsWith('/') || url.startsWith('/api/')) return false
  const accept = headers.accept ?? '*/*'
  const namesFile = /\.[^/]*$/.test(url.split('?')[0] ?? '')
  return accept.includes('text/html') || (accept.includes('*/*') && !namesFile)
}

async function serveFiles(app: FastifyInstance, webDir: string, keptDir: string | null): Promise<void> {
  const assetsDir = join(webDir, 'assets')
  const folders = [assetsDir, ...(keptDir === null ? [] : await retainFormerBuilds(app, assetsDir, keptDir))]
  await app.register(fastifyStatic, {
    root: webDir,
    index: false,
    wildcard: false,
    globIgnore: ['assets/**'],
    // The build writes compressed versions of each file.
    preCompressed: true,
    // Ranges are not needed because all files are small, and an unsatisfiable range would be a
    // fault.
    acceptRanges: false,
    allowedPath: (path) => !isInternalFile(path),
    setHeaders: (reply, path) => {
      const isHashed = folders.some((folder) => path.startsWith(`${folder}/`))
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      const policy = workerPolicies[worker.exec(path)?.[1] ?? '']
      if (policy) reply.header('content-security-policy', policy)
    },
  })
  const cache = createFileCache(MAX_CACHE_BYTES)
  const options = { schema: { hide: true }, exposeHeadRoute: true, onSend: cache.store }
  app.get<{ Params: { file: string } }>(HASHED_FILE, options, (request, reply) => {
    const { file } = request.params
    const cachedFile = cache.find(request)
    if (cachedFile) return reply.headers(cachedFile.headers).send(cachedFile.body)
    // The folder is looked up on each request, because installing a build replaces it while the
    // server runs.
    const folder = folders.find((each) => existsSync(join(each, file)))
    return folder === undefined ? reply.callNotFound() : reply.sendFile(file, folder)
  })
}

/**
 * Returns the folders with scripts of former builds. If there is no writable folder, the site
 * works, but open tabs must reload after an update.
 */
function retainFormerBuilds(app: FastifyInstance, assetsDir: string, keptDir: string): Promise<string[]> {
  return retainOldAssets(assetsDir, keptDir, new Date(), (err) =>
    app.log.warn({ err, folder: keptDir }, 'cannot keep all scripts of former builds: open tabs may have to reload'),
  )
}
