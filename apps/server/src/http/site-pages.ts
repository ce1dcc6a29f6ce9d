import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** What the build writes beside the pages: the file of each address, and which addresses a search engine should know. */
const siteMap = z.object({
  files: z.record(z.string(), z.string()),
  notFound: z.string(),
  listed: z.array(z.string()),
})
/** What the build puts where an address of our own must be whole: it does not know where the site will stand. */
const UNKNOWN_ORIGIN = 'https://origin.invalid'
/** They are in the folder, but nobody asks for them by name. */
export const isInternalFile = (path: string) => /^\/(page-[\w-]+\.html|pages\.json|bundle\.json)$/.test(path)

export interface SitePages {
  /** The page at a path, or the one that says that there is none. */
  find(path: string): { status: 200 | 404; html: string }
  robots: string
  siteMap: string
}

/** Reads the pages of a built site once. */
export async function readSitePages(webDir: string, publicUrl: string): Promise<SitePages> {
  const { files, notFound, listed } = siteMap.parse(JSON.parse(await readFile(join(webDir, 'pages.json'), 'utf8')))
  const htmlByFile = new Map<string, string>()
  for (const file of new Set([...Object.values(files), notFound])) {
    const html = await readFile(join(webDir, file), 'utf8')
    htmlByFile.set(file, html.replaceAll(UNKNOWN_ORIGIN, publicUrl))
  }
  const htmlOf = (file: string) => htmlByFile.get(file) ?? ''
  const pages = new Map(Object.entries(files).map(([path, file]) => [path, htmlOf(file)]))
  return {
    find(path) {
      const html = pages.get(path.length > 1 ? path.replace(/\/$/, '') : path)
      return html === undefined ? { status: 404, html: htmlOf(notFound) } : { status: 200, html }
    },
    robots: `User-agent: *\nDisallow: /api/\n\nSitemap: ${publicUrl}/sitemap.xml\n`,
    siteMap: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      ...listed.map((path) => `  <url><loc>${publicUrl}${path}</loc></url>`),
      '</urlset>',
      '',
    ].join('\n'),
  }
}
