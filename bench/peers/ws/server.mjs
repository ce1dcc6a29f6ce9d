import { WebSocketServer } from 'ws'
import { alertText, host, live, obeyLines, port } from '../control.mjs'

const server = new WebSocketServer({ port, host, perMessageDeflate: false })
server.on('connection', (client) => client.on('message', () => client.send(live)))
server.on('listening', () =>
  obeyLines(() => {
    for (const client of server.clients) client.send(alertText)
  }),
)
