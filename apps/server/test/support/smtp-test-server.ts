import { createServer, type Server } from 'node:net'

export interface SmtpServer {
  server: Server
  port: number
  lines: string[]
  /**
   * If true, every new connection is closed. The port stays open, because another process could use
   * it if it were closed.
   */
  isDown: boolean
  /** The response to a complete email. If null, the server closes the connection instead. */
  textAnswer: string | null
}

/**
 * Starts a server that implements enough of RFC 5321 to receive emails. `recipientAnswer` is its
 * response to every RCPT command.
 */
export async function startSmtpServer(recipientAnswer = '250 ok'): Promise<SmtpServer> {
  const lines: string[] = []
  const smtp = createServer((socket) => {
    socket.on('error', () => undefined)
    if (started.isDown) return socket.destroy()
    let inData = false
    let partialLine = ''
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      const received = `${partialLine}${chunk}`.split('\r\n')
      partialLine = received.pop() ?? ''
      for (const line of received) {
        lines.push(line)
        if (inData && line !== '.') continue
        if (inData) {
          inData = false
          if (started.textAnswer === null) socket.destroy()
          else socket.write(`${started.textAnswer}\r\n`)
          continue
        }
        inData = line === 'DATA'
        if (line === 'DATA') socket.write('354 go\r\n')
        else if (line.startsWith('RCPT')) socket.write(`${recipientAnswer}\r\n`)
        else if (line === 'QUIT') socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const address = smtp.address()
  if (!address || typeof address !== 'object') throw new Error('The SMTP server has no port')
  const started: SmtpServer = { server: smtp, port: address.port, lines, isDown: false, textAnswer: '250 ok' }
  return started
}
