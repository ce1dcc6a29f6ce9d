import type { Context } from '../../context.ts'
import { mayStillSend, type SendLimits, StartedTooLate } from './http-message.ts'
import { classifySmtp, createMail } from './kinds/email.ts'
import type { Message } from './kinds/message.ts'
import { createLinkToken } from './signed-link.ts'

/**
 * Timeout for the mail server's reply to an email. Longer than the timeout of the transport (60 s),
 * because the server may check an email for a long time before it accepts it. An email without a
 * reply is sent again and may arrive twice (RFC 5321, 4.5.3.2.6).
 */
const TIMEOUT_MS = 75_000
const STOPPED = 'The server was stopped'

/**
 * Sends an email to the mail server and reads its reply.
 * @param content `isCode` is true if the message has the code that confirms the address
 * @throws StartedTooLate
 */
export async function sendMailMessage(
  ctx: Context,
  { id: destinationId, address }: { id: string; address: string },
  id: string,
  { message, isCode }: { message: Message; isCode: boolean },
  limits: SendLimits,
): Promise<ReturnType<typeof classifySmtp>> {
  const { publicUrl } = ctx.config.http
  const token = createLinkToken(ctx.config, 'unsubscribe', destinationId)
  const links = {
    unsubscribePage: `${publicUrl}/unsubscribe?token=${token}`,
    unsubscribeUrl: `${publicUrl}/api/channels/unsubscribe/${token}`,
  }
  const mail = createMail(address, message, links, isCode)
  const { signal } = limits
  let isTooLate = false
  const mayWriteNow = async () => {
    isTooLate = !(await mayStillSend(limits))
    return !isTooLate && !signal.aborted
  }
  const startMs = performance.now()
  const classifyReply = (code: number | null, response: string) =>
    classifySmtp(code, response, Math.round(performance.now() - startMs))
  if (signal.aborted) return classifyReply(null, STOPPED)
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    await Promise.race([ctx.deliverMail(id, mail, mayWriteNow), rejectOn(deadline)])
    return classifyReply(250, 'Accepted by the mail server')
  } catch (error) {
    if (isTooLate) throw new StartedTooLate()
    if (signal.aborted) return classifyReply(null, STOPPED)
    if (error instanceof Error && error.name === 'TimeoutError')
      return classifyReply(null, `No response within ${TIMEOUT_MS / 1_000} seconds`)
    const { code, response } = parseSmtpError(error)
    return classifyReply(code, response ?? 'The mail server could not be reached')
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Returns the code and the response of the mail server, which Nodemailer adds to its errors. */
function parseSmtpError(error: unknown): { code: number | null; response: string | null } {
  if (typeof error !== 'object' || error === null) return { code: null, response: null }
  const { code, responseCode, response } = error as { code?: unknown; responseCode?: unknown; response?: unknown }
  // The operator's credentials are wrong. The operator can correct them, so the email is retried.
  if (code === 'EAUTH') return { code: null, response: 'The mail server refuses this site' }
  return {
    code: typeof responseCode === 'number' ? responseCode : null,
    response: typeof response === 'string' ? response : null,
  }
}
