import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
const compressiblePattern = /\.(?:js|css|svg)$/
/**
 * Minimum size of a file to be compressed. Smaller files fit in one packet, so compressing them
 * saves nothing.
 */
const MIN_BYTES = 1_000
/** Compression level. Levels 10 and 11 take ten times as long and save only two percent more. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }

/**
 * Writes compressed copies of each script and style sheet of a built site. Compressing on request
 * would cost latency and let clients consume CPU time of the server.
 */
export async function compressFiles(siteDir: string): Promise<void> {
  const names = await readdir(siteDir, { recursive: true })
  await Promise.all(
    names.filter((name) => compressiblePattern.test(name)).map((name) => compressFile(join(siteDir, name))),
  )
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  await writeFile(`${path}.br`, await compressBrotli(content, { params }))
  await writeFile(`${path}.gz`, await compressGzip(content, { level: 9 }))
}
