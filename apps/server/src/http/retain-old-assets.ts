import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '@tocsin/protocol/durations'

/**
 * Stores the hashed files of former builds for a day after they were replaced, so that tabs that
 * were opened before an update find their scripts. `current` has copies of the files of the running
 * build, because the next build or container image no longer has them. `previous` has files that
 * were replaced; their file time is the time of the replacement. Several instances may use the same
 * folder.
 * @param onFailure called if not all files could be stored
 * @returns the folders to serve, newest first
 */
export async function retainOldAssets(
  assetsDir: string,
  retainedDir: string,
  now: Date,
  onFailure: (error: unknown) => void,
): Promise<string[]> {
  const currentDir = join(retainedDir, 'current')
  const previousDir = join(retainedDir, 'previous')
  await updateFolders(assetsDir, currentDir, previousDir, now).catch(onFailure)
  return [currentDir, previousDir]
}

async function updateFolders(assetsDir: string, currentDir: string, previousDir: string, now: Date): Promise<void> {
  for (const folder of [currentDir, previousDir]) await mkdir(folder, { recursive: true })
  const currentAssets = new Set(await readdir(assetsDir))
  const copiedNames = new Set(await readdir(currentDir))
  for (const name of copiedNames) {
    if (currentAssets.has(name)) continue
    await ignoreMissing(async () => {
      await utimes(join(currentDir, name), now, now)
      await rename(join(currentDir, name), join(previousDir, name))
    })
  }
  for (const name of currentAssets) {
    if (copiedNames.has(name)) continue
    // The file is copied under another name first, because an incomplete copy must not be served.
    const draft = join(previousDir, `${name}.${randomUUID()}.draft`)
    await copyFile(join(assetsDir, name), draft)
    await rename(draft, join(currentDir, name))
  }
  for (const name of await readdir(previousDir)) {
    await ignoreMissing(async () => {
      const { mtimeMs } = await stat(join(previousDir, name))
      if (now.getTime() - mtimeMs > DAY_MS) await rm(join(previousDir, name), { force: true })
    })
  }
}

/** Ignores that a file does not exist: another instance may have moved or deleted it just now. */
async function ignoreMissing(change: () => Promise<void>): Promise<void> {
  await change().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
