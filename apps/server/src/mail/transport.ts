import { createTransport } from 'nodemailer'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Mail } from '../context.ts'
import { writeToOutbox } from './outbox.ts'

/** Delivers one mail; throws on failure. `id` identifies repeated deliveries. */
export type Deliver = (id: string, mail: Mail) => Promise<void>

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 30_000

/** Delivers by SMTP if a server is configured, otherwise to the outbox folder. */
export function createDelivery(config: Config, clock: Clock): Deliver {
  const { smtpUrl, from, outboxDir } = config.mail
  const host = new URL(config.http.publicUrl).hostname
  const compose = (id: string, mail: Mail) => ({
    from,
    // An object, so that the address is never parsed as a list.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${id}@${host}>`,
    date: clock.now(),
    headers: { 'auto-submitted': 'auto-generated', ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  if (smtpUrl === null) {
    const builder = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    return async (id, mail) => {
      const { message } = await builder.sendMail(compose(id, mail))
      if (!Buffer.isBuffer(message)) throw new Error('The mail was not built in memory')
      await writeToOutbox(outboxDir, id, mail, message, clock.now())
    }
  }
  const smtp = connectTo(smtpUrl)
  return async (id, mail) => {
    await smtp.sendMail(compose(id, mail))
  }
}

/** Connects and authenticates without sending a mail. Throws the error of the server. */
export async function verifySmtp(smtpUrl: string): Promise<void> {
  const smtp = connectTo(smtpUrl)
  try {
    await smtp.verify()
  } finally {
    smtp.close()
  }
}

function connectTo(url: string) {
  return createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  })
}
