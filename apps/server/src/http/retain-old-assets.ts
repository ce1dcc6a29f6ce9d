import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '@tocsin/protocol/durations'

/**
 * Stores the hashed files of former builds for a day after they were replaced, so that tabs that
 * were opened before an update find their scripts. `current` has copies of the files of the running
 * build, because the next build or container image no longer has them. `previous` has files that
 * were replaced; their file time is the time of the replacement.
 * @returns the folders to serve, newest first
 */
export async function retainOldAssets(assetsDir: string, retainedDir: string, now: Date): Promise<string[]> {
  const current = join(retainedDir, 'current')
  const previous = join(retainedDir, 'previous')
  for (const folder of [current, previous]) await mkdir(folder, { recursive: true })
  const currentAssets = new Set(await readdir(assetsDir))
  const copied = new Set(await readdir(current))
  for (const name of copied) {
    if (currentAssets.has(name)) continue
    await utimes(join(current, name), now, now)
    await rename(join(current, name), join(previous, name))
  }
  for (const name of currentAssets) {
    if (copied.has(name)) continue
    // The file is copied under another name first, because an incomplete copy must not be served.
    const draft = join(previous, `${name}.${process.pid}.draft`)
    await copyFile(join(assetsDir, name), draft)
    await rename(draft, join(current, name))
  }
  for (const name of await readdir(previous)) {
    const { mtimeMs } = await stat(join(previous, name))
    if (now.getTime() - mtimeMs > DAY_MS) await rm(join(previous, name), { force: true })
  }
  return [current, previous]
}
