import { Readable } from 'node:stream'
import { createTransport, type PluginFunction, type Transporter } from 'nodemailer'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Mail } from '../context.ts'
import { writeToOutbox } from './outbox.ts'

/**
 * Delivers one email. Throws if that fails. Repeated deliveries of an email have the same `id`.
 * `mayWrite` is called when the mail server waits for the text. If it returns false, the text is
 * not sent and the delivery fails.
 */
export type Deliver = (id: string, mail: Mail, mayWrite?: MayWrite) => Promise<void>

type MayWrite = () => Promise<boolean>

const NOT_ALLOWED_MESSAGE = 'The mail may not be sent any more'
const CONNECT_TIMEOUT_MS = 10_000
/**
 * Longest time without a byte from the mail server. It is long because the server may check an
 * email before it accepts it.
 */
const SOCKET_TIMEOUT_MS = 60_000
/** Maximum number of connections to the mail server. Most servers accept more from one client. */
export const MAX_CONNECTIONS = 8

/**
 * Creates a delivery by SMTP if a server is configured, otherwise to the outbox folder.
 * @param smtp the transporter to use. By default, each email opens its own connection
 */
export function createDelivery(config: Config, clock: Clock, smtp?: Transporter): Deliver {
  const { smtpUrl, from, outboxDir } = config.mail
  const host = new URL(config.http.publicUrl).hostname
  const compose = (id: string, { headers: { 'Message-ID': messageId, ...headers } = {}, ...mail }: Mail) => ({
    from,
    // An object, because Nodemailer would parse a string, possibly as several addresses.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // Emails of a thread set their ids explicitly, because they refer to each other by id.
    messageId: messageId ?? `<${id}@${host}>`,
    date: clock.now(),
    headers: { ...(headers['Auto-Submitted'] ? {} : { 'auto-submitted': 'auto-generated' }), ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  if (smtpUrl === null) {
    const builder = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    return async (id, mail, mayWrite) => {
      if (mayWrite && !(await mayWrite())) throw new Error(NOT_ALLOWED_MESSAGE)
      const { message } = await builder.sendMail(compose(id, mail))
      if (!Buffer.isBuffer(message)) throw new Error('The mail was not built in memory')
      await writeToOutbox(outboxDir, id, mail, message, clock.now())
    }
  }
  const transport = (smtp ?? openTransport(smtpUrl)).use('stream', checkBeforeText)
  return async (id, mail, mayWrite) => {
    const message = { ...compose(id, mail), mayWrite }
    await transport.sendMail(message)
  }
}

/**
 * Calls `mayWrite` as late as possible: Nodemailer reads the text after the server has accepted the
 * command DATA (RFC 5321, 4.1.1.4).
 */
const checkBeforeText: PluginFunction = ({ data, message }, done) => {
  const { mayWrite } = data as { mayWrite?: MayWrite }
  if (mayWrite) message?.processFunc((text) => Readable.from(streamIfAllowed(text, mayWrite), { objectMode: false }))
  done()
}

async function* streamIfAllowed(text: Readable, mayWrite: MayWrite): AsyncGenerator<Buffer> {
  if (!(await mayWrite())) {
    text.destroy()
    throw new Error(NOT_ALLOWED_MESSAGE)
  }
  yield* text
}

/** Like `createDelivery`, but with a pool of open connections, for many emails at the same time. */
export function createPooledDelivery(config: Config, clock: Clock): { deliver: Deliver; close(): void } {
  const { smtpUrl } = config.mail
  if (smtpUrl === null) return { deliver: createDelivery(config, clock), close() {} }
  const pool = createTransport({ pool: true, maxConnections: MAX_CONNECTIONS, ...createOptions(smtpUrl) })
  return { deliver: createDelivery(config, clock, pool), close: () => pool.close() }
}

/**
 * Connects and authenticates without sending an email.
 * @throws the error of the server
 */
export async function verifySmtp(smtpUrl: string): Promise<void> {
  const smtp = openTransport(smtpUrl)
  try {
    await smtp.verify()
  } finally {
    smtp.close()
  }
}

const openTransport = (url: string) => createTransport(createOptions(url))

const createOptions = (url: string) => ({
  url,
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
})
