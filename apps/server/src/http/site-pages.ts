import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type CompressedText, compressText } from './compressed.ts'

/**
 * Metadata from the build: the file of each path, in which `*` stands for any last segment, and the
 * paths listed in the sitemap.
 */
const siteMap = z.object({
  files: z.record(z.string(), z.string()),
  notFound: z.string(),
  listed: z.array(z.string()),
  /** Identifies the build by the digest of its list of scripts. */
  build: z.string(),
})
/** Placeholder for the origin in absolute URLs, because the build does not know the public URL. */
const UNKNOWN_ORIGIN = 'https://origin.invalid'
/** True for files of the build that clients cannot request by path. */
export const isInternalFile = (path: string) =>
  /^\/((index|embed)\.html|page-[\w-]+\.html|pages\.json|bundle\.json|(record|alert)-html\.mjs|card\/[\w.]+)$/.test(
    path,
  )

/**
 * Texts in the HTML of a page. GATE marks pages that require sign-in. For browsers with a session
 * cookie, the server adds an attribute to ROOT_ELEMENT, so that they show the frame of the page
 * while the session is loading.
 */
const ROOT_ELEMENT = '<html '
const GATE = '<div id="root" data-gate>'

export interface SitePages {
  /**
   * Returns the page at a path, or the 404 page. `withSession` is the variant for browsers with a
   * session cookie, or null if the page does not differ for them.
   */
  find(path: string): { status: 200 | 404; page: CompressedText; withSession: CompressedText | null }
  robots: string
  siteMap: string
}

/**
 * Returns the id of the build of the site, which its pages contain too. Null if there is no site.
 */
export async function readBuild(webDir: string | null): Promise<string | null> {
  return webDir === null ? null : siteMap.parse(JSON.parse(await readFile(join(webDir, 'pages.json'), 'utf8'))).build
}

/** Reads all pages of the built site. */
export async function readSitePages(webDir: string, publicUrl: string): Promise<SitePages> {
  const {
    files,
    notFound,
    listed: listedPages,
  } = siteMap.parse(JSON.parse(await readFile(join(webDir, 'pages.json'), 'utf8')))
  const readPage = async (file: string) => {
    const html = (await readFile(join(webDir, file), 'utf8')).replaceAll(UNKNOWN_ORIGIN, publicUrl)
    const signedInHtml = html.includes(GATE) ? html.replace(ROOT_ELEMENT, '$&data-session="in" ') : null
    return { page: compressText(html), withSession: signedInHtml === null ? null : compressText(signedInHtml) }
  }
  const byFile = new Map<string, Awaited<ReturnType<typeof readPage>>>()
  for (const file of new Set(Object.values(files))) byFile.set(file, await readPage(file))
  const notFoundPage = await readPage(notFound)
  return {
    find(path) {
      const trimmedPath = path.length > 1 ? path.replace(/\/$/, '') : path
      // Replaces the last segment with `*`, because for example `/assets/*` is the page of every
      // asset. A dot is only allowed after `~`, because any other dot means that the path names a
      // file.
      const foundPage = byFile.get(files[trimmedPath] ?? files[trimmedPath.replace(/(?:~\.|[^/.])+$/, '*')] ?? '')
      return foundPage ? { status: 200, ...foundPage } : { status: 404, ...notFoundPage }
    },
    robots: `User-agent: *\nDisallow: /api/\n\nSitemap: ${publicUrl}/sitemap.xml\n`,
    siteMap: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      ...listedPages.map((path) => `  <url><loc>${publicUrl}${path}</loc></url>`),
      '</urlset>',
      '',
    ].join('\n'),
  }
}
