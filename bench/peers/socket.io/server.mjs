import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { alert, host, obeyLines, port } from '../control.mjs'

const http = createServer()
const io = new Server(http, { path: '/ws', transports: ['websocket'], perMessageDeflate: false, serveClient: false })
http.listen(port, host, () => obeyLines(() => io.emit(alert.type, { alert: alert.alert })))
