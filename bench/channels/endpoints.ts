import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { createInterface } from 'node:readline'

/**
 * The other side, in the wire format of each service, in a process of its own. It listens on every
 * loopback address, so that 127.x.y.z are different hosts. Requests to `/hang` get no answer.
 * Reports arrivals by the monotonic clock, which all processes share.
 */
export interface Arrival {
  kind: string
  /** Webhook id, path or chat: what distinguishes the destinations of a kind. */
  to: string
  priority: string
  atNs: string
}
export type Report = { port: number; smtpPort: number } | { arrivals: Arrival[] }

const REPORT_MS = 50
/** Telegram answers a request for updates after a timeout, also without updates. */
const UPDATES_MS = 25_000

const say = (report: Report) => process.send?.(report)
let arrivals: Arrival[] = []
setInterval(() => {
  if (arrivals.length > 0) say({ arrivals })
  arrivals = []
}, REPORT_MS)

const success = {
  webhook: { status: 200, body: '{}' },
  discord: { status: 204, body: '' },
  slack: { status: 200, body: 'ok' },
  ntfy: { status: 200, body: '{"id":"x","event":"message"}' },
  telegram: {
    status: 200,
    body: '{"ok":true,"result":{"message_id":1,"date":1,"chat":{"id":1,"type":"private"}}}',
  },
  'web-push': { status: 201, body: '' },
} as const
type Kind = keyof typeof success

function kindOf(path: string): Kind {
  if (path.startsWith('/bot')) return 'telegram'
  if (path.startsWith('/api/webhooks/')) return 'discord'
  if (path.startsWith('/services/')) return 'slack'
  if (path.startsWith('/push/')) return 'web-push'
  return path === '/' ? 'ntfy' : 'webhook'
}

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    const atNs = String(process.hrtime.bigint())
    if (path.endsWith('/getUpdates')) {
      const timer = setTimeout(() => response.end('{"ok":true,"result":[]}'), UPDATES_MS)
      return void response.on('close', () => clearTimeout(timer))
    }
    const kind = kindOf(path)
    const text = Buffer.concat(chunks).toString()
    if (kind !== 'telegram' || path.endsWith('/sendMessage')) {
      const host = `${request.headers.host}${path}`
      const to = kind === 'telegram' ? (/"chat_id":(-?\d+)/.exec(text)?.[1] ?? '') : host
      const priority = /critical|high|medium|low/i.exec(text)?.[0].toLowerCase() ?? ''
      arrivals.push({ kind, to, priority, atNs })
    }
    if (path === '/hang') return
    const { status, body } = path.endsWith('/sendMessage') ? success.telegram : success[kind]
    response.writeHead(status).end(kind === 'telegram' && !path.endsWith('/sendMessage') ? ownAnswer(path) : body)
  })
})
server.on('connection', (socket) => socket.on('error', () => {}))

/** A mail server that accepts everything (RFC 5321). A mail has arrived with its last line. */
const smtp = createTcpServer((socket) => {
  let to = ''
  let isData = false
  const reply = (line: string) => void socket.write(`${line}\r\n`)
  const read = (line: string) => {
    if (isData) {
      if (line !== '.') return
      isData = false
      arrivals.push({ kind: 'email', to, priority: '', atNs: String(process.hrtime.bigint()) })
      return reply('250 queued')
    }
    if (/^RCPT/i.test(line)) to = /<(.*)>/.exec(line)?.[1] ?? ''
    isData = /^DATA/i.test(line)
    return reply(isData ? '354 go on' : /^QUIT/i.test(line) ? '221 bye' : '250 ok')
  }
  socket.on('error', () => {})
  createInterface(socket).on('line', read)
  reply('220 bench')
})

const portOf = (of: Pick<typeof server, 'address'>) => {
  const address = of.address()
  return typeof address === 'object' && address ? address.port : 0
}
smtp.listen(0, '127.0.0.1', () => {
  server.listen(0, '0.0.0.0', 4_096, () => say({ port: portOf(server), smtpPort: portOf(smtp) }))
})

function ownAnswer(path: string): string {
  const bot = { id: 1, is_bot: true, first_name: 'Bench', username: 'bench_bot' }
  return JSON.stringify({ ok: true, result: path.endsWith('/getMe') ? bot : true })
}
process.on('disconnect', () => process.exit(0))
