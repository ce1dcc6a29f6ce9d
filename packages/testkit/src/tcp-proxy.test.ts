import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startPortProxy } from './tcp-proxy.ts'

const closeFunctions: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closeFunctions.splice(0)) await close()
})

/** Starts a server behind a proxy, with one client. Returns the open connections of the server. */
async function startPair(keepaliveMs: number) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeFunctions.push(() => server.close())
  // A server that listens on a port has an AddressInfo, not a path.
  const { port } = server.address() as AddressInfo
  const proxy = await startPortProxy(() => [port], { keepaliveMs })
  closeFunctions.unshift(() => proxy.close())
  const client = connect(proxy.port, '127.0.0.1')
  await expect.poll(() => open.size).toBe(1)
  return { open, proxy, client }
}

test('tcp proxy: the server closes a black-holed connection by keepalive after its client has closed it', async () => {
  const { open, proxy, client } = await startPair(20)
  proxy.dropData()
  client.destroy()
  await expect.poll(() => open.size).toBe(0)
})

test('tcp proxy: the server does not notice before keepalive that a black-holed client has closed', async () => {
  const { open, proxy, client } = await startPair(600_000)
  const otherClient = connect(proxy.port, '127.0.0.1')
  await expect.poll(() => open.size).toBe(2)
  proxy.dropData()
  client.destroy()
  proxy.heal()
  // A later connection shows that the proxy has handled the close.
  const lastClient = connect(proxy.port, '127.0.0.1')
  await expect.poll(() => open.size).toBe(3)
  lastClient.destroy()
  await expect.poll(() => open.size).toBe(2)
  otherClient.destroy()
})
