import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
const isText = /\.(?:js|css|svg)$/
/** Smaller ones are sent in one packet as they are. */
const MIN_BYTES = 1_000
/** The two highest take ten times as long for another two percent. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }

/**
 * Puts compressed files beside each script and style of a built site, so that no request waits for
 * them to be made, or can ask for that work again and again.
 */
export async function compressFiles(siteDir: string): Promise<void> {
  const names = await readdir(siteDir, { recursive: true })
  await Promise.all(names.filter((name) => isText.test(name)).map((name) => compressFile(join(siteDir, name))))
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  await writeFile(`${path}.br`, await compressBrotli(content, { params }))
  await writeFile(`${path}.gz`, await compressGzip(content, { level: 9 }))
}
