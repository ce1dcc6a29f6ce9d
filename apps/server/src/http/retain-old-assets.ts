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
  const currentDir = join(retainedDir, 'current')
  const previousDir = join(retainedDir, 'previous')
  for (const folder of [currentDir, previousDir]) await mkdir(folder, { recursive: true })
  const currentAssets = new Set(await readdir(assetsDir))
  const copiedNames = new Set(await readdir(currentDir))
  for (const name of copiedNames) {
    if (currentAssets.has(name)) continue
    await utimes(join(currentDir, name), now, now)
    await rename(join(currentDir, name), join(previousDir, name))
  }
  for (const name of currentAssets) {
    if (copiedNames.has(name)) continue
    // The file is copied under another name first, because an incomplete copy must not be served.
    const draft = join(previousDir, `${name}.${process.pid}.draft`)
    await copyFile(join(assetsDir, name), draft)
    await rename(draft, join(currentDir, name))
  }
  for (const name of await readdir(previousDir)) {
    const { mtimeMs } = await stat(join(previousDir, name))
    if (now.getTime() - mtimeMs > DAY_MS) await rm(join(previousDir, name), { force: true })
  }
  return [currentDir, previousDir]
}
