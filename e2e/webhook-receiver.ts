import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Message {
  type?: string
  data?: {
    challenge?: string
    alert?: { summary: string }
    alerts?: { alert: { summary: string } }[]
    acknowledgeUrl?: string
  }
  /** Text of a Slack message. */
  text?: string
}

export interface WebhookReceiver {
  url: string
  messages: Message[]
  /** Settings that make the product use this server as the API of its Telegram bot. */
  telegram: Record<string, string>
  /**
   * Sets the HTTP status of the next responses, which is 200 at first. If it is a promise, the
   * responses wait for it.
   */
  answerWith(status: number | Promise<number>): void
  close(): void
}

/** Starts a local webhook endpoint that responds to challenges and records all messages. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const messages: Message[] = []
  let status: number | Promise<number> = 200
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      const [, bot, method] = (request.url ?? '').split('/')
      if (bot?.startsWith('bot')) return answerBot(method ?? '', response)
      const message: Message = JSON.parse(body)
      messages.push(message)
      const challenge = message.data?.challenge
      response.writeHead(await status)
      response.end(JSON.stringify(challenge === undefined ? { received: message.type } : { challenge }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/hook`,
    telegram: { TELEGRAM_BOT_TOKEN: `1:${'t'.repeat(35)}`, TELEGRAM_API_ROOT: origin },
    messages,
    answerWith(next) {
      status = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Responds as the Telegram Bot API does. Does not respond to `getUpdates`, like a long poll without
 * updates.
 */
function answerBot(method: string, response: ServerResponse): void {
  if (method === 'getUpdates') return
  const bot = { id: 1, is_bot: true, first_name: 'Tocsin', username: 'tocsin_test_bot' }
  response.end(JSON.stringify({ ok: true, result: method === 'getMe' ? bot : true }))
}
