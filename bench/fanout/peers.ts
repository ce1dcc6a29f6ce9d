import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { ALERT_BYTES, type Server, startLineServer } from './servers.ts'

export type Protocol = 'websocket' | 'socket.io'

/** Another WebSocket server, without authentication, entitlements, ordering or storage. */
export interface ComparisonServer {
  name: string
  version: string
  protocol: Protocol
  start(): Promise<Server>
}

interface Definition {
  name: string
  /** Folder in `bench/peers`, with a package of its own. */
  folder: string
  /** The only dependency of this package. */
  module: string
  protocol: Protocol
  /** Arguments before `server.mjs`. The first one is the command. */
  runtime: readonly [command: string, ...args: string[]]
}

const PEERS = join(import.meta.dirname, '../peers')
const NODE = [process.execPath, '--expose-gc'] as const
const INSTALL_TIMEOUT_MS = 180_000

const definitions: readonly Definition[] = [
  { name: 'ws', folder: 'ws', module: 'ws', protocol: 'websocket', runtime: NODE },
  { name: 'Socket.IO', folder: 'socket.io', module: 'socket.io', protocol: 'socket.io', runtime: NODE },
  { name: 'uWebSockets.js', folder: 'uwebsockets', module: 'uWebSockets.js', protocol: 'websocket', runtime: NODE },
  {
    name: 'Bun',
    folder: 'bun',
    module: 'bun',
    protocol: 'websocket',
    runtime: [join(PEERS, 'bun/node_modules/.bin/bun')],
  },
]

/**
 * Installs the peers into their folders and starts each of them once.
 * @param names the peers to prepare, by default all
 * @param reportMissing called with the reason for each peer that cannot be obtained or started
 */
export async function prepareComparisonServers(
  reportMissing: (name: string, reason: string) => void,
  names = definitions.map(({ name }) => name),
): Promise<ComparisonServer[]> {
  const peers: ComparisonServer[] = []
  for (const definition of definitions) {
    if (!names.includes(definition.name)) continue
    try {
      const peer = await install(definition)
      await (await peer.start()).stop()
      peers.push(peer)
    } catch (error) {
      reportMissing(definition.name, getReason(error))
    }
  }
  return peers
}

async function install({ name, folder, module, protocol, runtime }: Definition): Promise<ComparisonServer> {
  const dir = join(PEERS, folder)
  const options = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
  await promisify(execFile)('npm', ['install', '--prefix', dir, ...options], { timeout: INSTALL_TIMEOUT_MS })
  const { version } = JSON.parse(await readFile(join(dir, 'node_modules', module, 'package.json'), 'utf8'))
  const [command, ...args] = runtime
  return {
    name,
    version,
    protocol,
    async start() {
      const port = await findFreePort()
      return startLineServer(command, [...args, join(dir, 'server.mjs'), String(port), String(ALERT_BYTES)], port)
    },
  }
}

/** Returns the first lines of npm's errors, or the message of another error. */
function getReason(error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const lines = output.split('\n').filter((line) => line.startsWith('npm error'))
  if (lines.length > 0) return lines.slice(0, 3).join('; ')
  return error instanceof Error ? error.message : String(error)
}
