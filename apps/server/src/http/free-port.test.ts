import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort, reservePort } from './free-port.ts'

test('findFreePort: reserves the port, even while nothing listens on it', async () => {
  const port = await findFreePort()
  expect(await reservePort(port)).toBe(false)
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  expect(await reservePort(port)).toBe(false)
})
