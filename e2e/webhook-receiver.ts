import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Message {
  type?: string
  data?: {
    challenge?: string
    alert?: { summary: string }
    alerts?: { alert: { summary: string } }[]
    acknowledgeUrl?: string
  }
  /** Of a Slack message. */
  text?: string
}

export interface WebhookReceiver {
  url: string
  messages: Message[]
  /** The status of the next responses; 200 at first. */
  answerWith(status: number): void
  close(): void
}

/** Starts a webhook on this machine that repeats challenges and keeps all messages. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const messages: Message[] = []
  let status = 200
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const message: Message = JSON.parse(body)
      messages.push(message)
      response.writeHead(status)
      response.end(JSON.stringify({ received: message.type, challenge: message.data?.challenge }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    answerWith(next) {
      status = next
    },
    close: () => server.close(),
  }
}
