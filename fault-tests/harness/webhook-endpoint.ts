import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Journal } from './journal.ts'

const FAILURE_RATE = 0.03

/** Starts a webhook endpoint that sometimes fails. */
export async function startWebhookEndpoint(journal: Journal, random: () => number) {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (random() < FAILURE_RATE) return void response.writeHead(500).end()
      journal.webhooks.push({ id: String(request.headers['webhook-id']), atMs: Date.now() })
      response.writeHead(200).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The address of a server that listens on a TCP port is an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
