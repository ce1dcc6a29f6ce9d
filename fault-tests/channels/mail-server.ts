import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

export interface MailAnswer {
  code: number
  line: string
}

/**
 * Starts a mail server on this machine.
 * @param onMail called with each complete email. The email is accepted if it returns null, and
 *   rejected with the returned SMTP response otherwise
 */
export async function startMailServer(onMail: (to: string, source: string) => MailAnswer | null) {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const answer = onMail(envelope.rcptTo[0]?.address ?? '', Buffer.concat(chunks).toString('utf8'))
        done(answer === null ? null : Object.assign(new Error(answer.line), { responseCode: answer.code }))
      })
    },
  })
  // Ignore errors of connections whose process was killed.
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Resolves when no client is connected. */
    async hungUp() {
      while (smtp.connections.size > 0) await delay(5)
    },
    stop: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  }
}
