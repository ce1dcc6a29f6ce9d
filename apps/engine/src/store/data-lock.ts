import { mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'

/** Maximum length of the path of a Unix socket. Linux allows 108 bytes, and macOS 104. */
const MAX_PATH_BYTES = 100

/**
 * Locks the data folder for this process. Two engines on one folder would send every signal twice.
 * The lock is a Unix socket, which the operating system closes with its process. A process id would
 * not do: it could belong to another program after a restart, and has no meaning in another
 * container.
 * @throws Error for the operator if a running process holds the lock
 */
export async function lockDataFolder(folder: string): Promise<{ release(): Promise<void> }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = shortest(join(folder, 'lock'))
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new Error(
      `The path of ENGINE_DATA is too long (more than ${MAX_PATH_BYTES - '/lock'.length} bytes): ${folder}`,
    )
  }
  if (await isHeld(path)) {
    throw new Error(`An engine is already running on ${folder}. Stop it, or set ENGINE_DATA.`)
  }
  rmSync(path, { force: true })
  const server = await listen(path).catch((error: Error) => {
    throw new Error(`${folder} cannot be locked (${error.message}). Another engine may have just started on it.`)
  })
  return { release: () => new Promise((resolve) => server.close(() => resolve())) }
}

/**
 * Returns the shorter of the absolute and the relative path, because a folder below the working
 * directory may have an absolute path of any length.
 */
function shortest(path: string): string {
  const fromHere = relative('', path)
  return fromHere.length < path.length ? fromHere : path
}

/**
 * True if a process accepts connections on the socket. A socket file of a killed process refuses
 * them.
 */
function isHeld(path: string): Promise<boolean> {
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
