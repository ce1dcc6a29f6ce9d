import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type CompressedText, compressText } from './compressed.ts'

/** What the build writes beside the pages: the file of each address, and which addresses a search engine should know. */
const siteMap = z.object({
  files: z.record(z.string(), z.string()),
  notFound: z.string(),
  listed: z.array(z.string()),
})
/** What the build puts where an address of our own must be whole: it does not know where the site will stand. */
const UNKNOWN_ORIGIN = 'https://origin.invalid'
/** They are in the folder, but nobody asks for them by name. */
export const isInternalFile = (path: string) =>
  /^\/(index\.html|page-[\w-]+\.html|pages\.json|bundle\.json)$/.test(path)

/** Beginning and mark of a page behind the sign-in: whoever sends a session's cookie sees its frame while the session is looked up. */
const ROOT_ELEMENT = '<html '
const GATE = '<div id="root" data-gate>'

export interface SitePages {
  /** The page at a path, or the one that says that there is none. `withSession`: as it is for browsers that were signed in, if that differs. */
  find(path: string): { status: 200 | 404; page: CompressedText; withSession: CompressedText | null }
  robots: string
  siteMap: string
}

/** Reads the pages of a built site once. */
export async function readSitePages(webDir: string, publicUrl: string): Promise<SitePages> {
  const { files, notFound, listed } = siteMap.parse(JSON.parse(await readFile(join(webDir, 'pages.json'), 'utf8')))
  const read = async (file: string) => {
    const html = (await readFile(join(webDir, file), 'utf8')).replaceAll(UNKNOWN_ORIGIN, publicUrl)
    const signedIn = html.includes(GATE) ? html.replace(ROOT_ELEMENT, '$&data-session="in" ') : null
    return { page: compressText(html), withSession: signedIn === null ? null : compressText(signedIn) }
  }
  const byFile = new Map<string, Awaited<ReturnType<typeof read>>>()
  for (const file of new Set(Object.values(files))) byFile.set(file, await read(file))
  const nowhere = await read(notFound)
  return {
    find(path) {
      const found = byFile.get(files[path.length > 1 ? path.replace(/\/$/, '') : path] ?? '')
      return found ? { status: 200, ...found } : { status: 404, ...nowhere }
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
