import { rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleTarget, spawnTarget } from '../../../fault-tests/failpoints/target-process.ts'
import { root } from '../../../scripts/build-stamp.mjs'
import { findFreePort } from '../src/http/free-port.ts'
import { send } from './raw-client.ts'

const bundlePath = join(root, 'apps/server/.cache', `descriptors-target-${process.pid}.js`)
/** Limit of open files. The server itself needs about half of it. */
const MAX_FILES = 128
const CONNECTION_COUNT = 300

const parts = useTestDatabaseAndChain()

beforeAll(() => bundleTarget(bundlePath))
afterAll(() => rm(bundlePath, { force: true }))

/**
 * Opens a connection.
 * @returns null if the server closed the connection immediately
 */
function openConnection(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.once('close', () => resolve(null))
    // The first byte of the response shows that the server has accepted the connection.
    socket.once('data', () => resolve(socket))
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  })
}

function requestHealth(agent: Agent, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port, path: '/healthz', headers: { host: 'localhost' } }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0))
    }).on('error', reject)
  })
}

test('file descriptors: new connections are closed and open ones are served when the limit is reached', async () => {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const settings = {
    databaseUrl: await parts.database.createDatabase(),
    ...parts.chain.settings,
    http: { port, host: 'localhost', publicUrl: url },
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await spawnTarget(bundlePath, MAX_FILES).runServer(settings, async () => {
    expect(await requestHealth(agent, port)).toBe(200)
    const sockets = await Promise.all(Array.from({ length: CONNECTION_COUNT }, () => openConnection(port)))
    const acceptedSockets = sockets.filter((socket) => socket !== null)
    expect(acceptedSockets.length).toBeGreaterThan(0)
    expect(acceptedSockets.length).toBeLessThan(MAX_FILES)
    expect(await requestHealth(agent, port), 'over the connection from before').toBe(200)
    for (const socket of acceptedSockets) socket.destroy()
    await expect
      .poll(() =>
        send(url, { path: '/readyz' }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
  })
  agent.destroy()
})
