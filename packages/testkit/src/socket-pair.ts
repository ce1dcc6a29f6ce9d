import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Opens two connected TCP sockets in this process: `socket` is the server's end, `peer` the other
 * end.
 */
export async function openSocketPair(): Promise<{ socket: Socket; peer: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = once(server, 'connection')
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket]: Socket[] = await connection
  if (!socket) throw new Error('The server accepted no connection')
  // Stops listening. The open connection is not affected.
  server.close()
  return { socket, peer }
}
