import { rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { useTestParts } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleTarget, spawnTarget } from '../../../fault-tests/failpoints/target-process.ts'
import { root } from '../../../scripts/build-stamp.mjs'
import { findFreePort } from '../src/http/free-port.ts'
import { send } from './raw-client.ts'

const bundle = join(root, 'apps/server/.cache', `descriptors-target-${process.pid}.js`)
/** Limit of open files. The server itself needs about half of it. */
const MAX_FILES = 128
const CONNECTIONS = 300

const parts = useTestParts()

beforeAll(() => bundleTarget(bundle))
afterAll(() => rm(bundle, { force: true }))

/**
 * Opens a connection.
 * @returns null if the server closed the connection immediately
 */
function open(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.once('close', () => resolve(null))
    // The first byte of the response shows that the server has accepted the connection.
    socket.once('data', () => resolve(socket))
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  })
}

function ask(agent: Agent, port: number): Promise<number> {
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
  await spawnTarget(bundle, MAX_FILES).live(settings, async () => {
    expect(await ask(agent, port)).toBe(200)
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)))
    const accepted = sockets.filter((socket) => socket !== null)
    expect(accepted.length).toBeGreaterThan(0)
    expect(accepted.length).toBeLessThan(MAX_FILES)
    expect(await ask(agent, port), 'over the connection from before').toBe(200)
    for (const socket of accepted) socket.destroy()
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
