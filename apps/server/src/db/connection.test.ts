import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { bulkLimits, openClient } from './connection.ts'

/** Starts a server that rejects every new session with an error and leaves the connection open. */
async function startRefusingServer(): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write(createErrorResponse('53300', 'sorry, too many clients already')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return { url: `postgres://tocsin@127.0.0.1:${address.port}/tocsin`, sockets }
}

/** Returns an ErrorResponse message (PostgreSQL 18, chapter “Message Formats”). */
function createErrorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

test('openClient: rejects and closes its socket when the server refuses and leaves the connection open', async () => {
  const { url, sockets } = await startRefusingServer()
  await expect(openClient(url, bulkLimits)).rejects.toMatchObject({ code: '53300' })
  await expect.poll(() => sockets.map(({ readableEnded, destroyed }) => readableEnded || destroyed)).toEqual([true])
})
