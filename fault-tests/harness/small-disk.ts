import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A folder of limited size. */
export interface SmallDisk {
  dir: string
  /** The reason why the size of the folder is not limited, or null if it is. */
  unlimitedReason: string | null
  /** Writes a file until no space is left. */
  fill(): void
  free(): void
  remove(): void
}

/**
 * Size of the disk. It suffices for an hour at 20 signals a second: 72,000 alerts of 4 kB, their
 * deliveries and the write-ahead log.
 */
const SIZE_MIB = 1_500
const CHUNK = Buffer.alloc(1024 * 1024)

/**
 * Creates a folder of limited size by mounting a file system in memory. If this process is not
 * allowed to mount, the folder is an ordinary one without a limit.
 */
export function createSmallDisk(dir: string): SmallDisk {
  mkdirSync(dir, { recursive: true })
  const unlimitedReason = mountLimited(dir)
  const filler = join(dir, 'filler')
  let isMounted = unlimitedReason === null
  const unmount = () => {
    // Unmount lazily, because the servers may still be ending.
    if (!isMounted) return
    isMounted = false
    execFileSync('umount', ['--lazy', dir], { stdio: 'ignore' })
  }
  process.on('exit', unmount)
  return {
    dir,
    unlimitedReason,
    fill() {
      const file = openSync(filler, 'w')
      try {
        for (let size = CHUNK.length; size >= 1; ) {
          // Write smaller pieces to fill the remaining space.
          if (!writeIfFree(file, size)) size = Math.floor(size / 16)
        }
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove() {
      unmount()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function mountLimited(dir: string): string | null {
  if (process.platform !== 'linux') return 'a file system of limited size needs Linux'
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m,mode=711`, 'tmpfs', dir], { stdio: 'pipe' })
    return null
  } catch {
    return 'this user may not mount a file system of limited size'
  }
}

function writeIfFree(file: number, size: number): boolean {
  try {
    return writeSync(file, CHUNK, 0, size) === size
  } catch {
    return false
  }
}
