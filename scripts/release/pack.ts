import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { run } from '../run.ts'

/**
 * Packs a folder so that equal files give equal bytes: entries are ordered by name, have the same
 * time and owner, and their modes differ only in the executable bits. Needs GNU tar.
 * @param time modification time of all entries
 */
export async function packFolder(folder: string, file: string, time: Date): Promise<void> {
  const uncompressedFile = `${file}.tmp`
  const { code, output } = await run(
    'tar',
    [
      ...['--create', '--file', uncompressedFile, '--format', 'gnu', '--sort', 'name', '--mtime', time.toISOString()],
      ...['--owner', '0', '--group', '0', '--numeric-owner', '--mode', 'u=rwX,go=rX'],
      ...['--directory', folder, '.'],
    ],
    { quiet: true, env: { LC_ALL: 'C' } },
  )
  if (code !== 0) throw new Error(`GNU tar failed: ${output}`)
  // Node.js writes no file name and no time into the gzip header.
  await pipeline(createReadStream(uncompressedFile), createGzip({ level: 9 }), createWriteStream(file))
}
