import { WebSocket } from 'ws'

/** Returns each id once, in the order of arrival. */
export function getIds(messages: readonly { id: string }[]): string[] {
  return [...new Set(messages.map(({ id }) => id))]
}

/** Creates a client that receives the feed and reconnects immediately, as a product does. */
export function connectFeedClient(url: () => string | null, key: string) {
  /** All messages except the status messages. */
  const texts: string[] = []
  const statuses: string[] = []
  let isStopped = false
  let socket: WebSocket | null = null
  const connect = () => {
    const target = url()
    if (isStopped) return
    if (target === null) return void setImmediate(connect)
    const ws = new WebSocket(target, { headers: { authorization: `Bearer ${key}` } })
    socket = ws
    ws.on('message', (data) => {
      const text = data.toString()
      if (JSON.parse(text).type === 'status') statuses.push(text)
      else texts.push(text)
    })
    ws.on('error', () => {})
    ws.on('close', () => void setTimeout(connect, 20))
  }
  connect()
  const parseTexts = () => texts.map((text): { id: string; type?: string } => JSON.parse(text))
  return {
    texts,
    statuses,
    signals: () => parseTexts().filter(({ type }) => type === undefined),
    outcomes: () => parseTexts().filter(({ type }) => type === 'outcome'),
    close() {
      isStopped = true
      socket?.terminate()
    },
  }
}
