import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Maximum length of the path of a Unix socket, without the null byte at its end. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103
/** Names of locks. Earlier versions used the name without a suffix. */
const LOCK_NAME_PATTERN = /^lock(\.[0-9a-f]{6})?$/
/** Time to wait for an engine that started at the same moment and has to release its lock. */
const YIELD_MS = 1_000
const POLL_MS = 50

/**
 * Locks the data folder for this process. Two engines on one folder would send every signal twice.
 * The lock is a Unix socket, which the operating system closes with its process. A stored process
 * id would not be enough: after a restart it could belong to another program, and it has no meaning
 * in another container.
 *
 * Each engine has a socket with its own name, so that removing the socket of a killed engine
 * never removes the socket of a running one. An engine opens its socket before it looks for others,
 * so of two engines that start together at least one finds the other. The engine whose socket has
 * the smaller name continues.
 * @throws Error for the operator if a running process holds the lock
 */
export async function lockDataFolder(folder: string): Promise<{ release(): Promise<void> }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const id = randomBytes(3).toString('hex')
  const ownName = `lock.${id}`
  const getPath = (name: string) => shortenPath(join(folder, name))
  if (Buffer.byteLength(getPath(ownName)) > MAX_PATH_BYTES) {
    throw new Error(
      `The path of ENGINE_DATA is too long (more than ${MAX_PATH_BYTES - ownName.length - 1} bytes): ${folder}`,
    )
  }
  // Until a socket listens, it refuses connections like the socket of a killed engine. So it gets
  // its final name only when it listens.
  const server = await listen(getPath(`bind.${id}`)).catch((error: Error) => {
    throw new Error(`${folder} cannot be locked (${error.message}).`)
  })
  renameSync(getPath(`bind.${id}`), getPath(ownName))
  const release = () => {
    rmSync(getPath(ownName), { force: true })
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  try {
    for (const name of readdirSync(folder)) {
      if (name === ownName || !LOCK_NAME_PATTERN.test(name)) continue
      if (await isLockHeld(getPath(name), name > ownName ? YIELD_MS : 0)) {
        throw new Error(`An engine is already running on ${folder}. Stop it, or set ENGINE_DATA.`)
      }
      rmSync(getPath(name), { force: true })
    }
  } catch (error) {
    await release()
    throw error
  }
  return { release }
}

/**
 * Returns the shorter of the absolute and the relative path. The path of a Unix socket is limited
 * to MAX_PATH_BYTES, which the absolute path may exceed.
 */
function shortenPath(path: string): string {
  const relativePath = relative('', path)
  return relativePath.length < path.length ? relativePath : path
}

/** True if a process still accepts connections on the socket after the given time. */
async function isLockHeld(path: string, waitMs: number): Promise<boolean> {
  for (let leftMs = waitMs; await hasListener(path); leftMs -= POLL_MS) {
    if (leftMs <= 0) return true
    await delay(POLL_MS)
  }
  return false
}

/**
 * True if a process accepts connections on the socket. A socket file of a killed process refuses
 * them.
 */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(false)
      else reject(error)
    })
  })
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}
