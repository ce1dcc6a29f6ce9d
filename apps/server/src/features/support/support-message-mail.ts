import type { Context, Mail } from '../../context.ts'
import { renderMail } from '../../mail/layout.ts'

interface SupportAnswer {
  supportMessage: { id: number; email: string; name: string; subject: string; message: string; at: Date }
  /** Id of this reply, and the ids of earlier replies in order. */
  answerId: string
  earlierIds: readonly string[]
  text: string
}

/**
 * Writes the email with a reply to a support message. Its headers make email clients group the
 * replies to that message (RFC 5322, 3.6.4). If the recipient responds, the email goes to the
 * operator's mailbox, if one is configured.
 */
export function answerMail({ config }: Pick<Context, 'config'>, answer: SupportAnswer): Mail {
  const { supportMessage, answerId, earlierIds, text } = answer
  const { hostname } = new URL(config.http.publicUrl)
  const formatMessageId = (name: string) => `<${name}@${hostname}>`
  const references = [`letter-${supportMessage.id}`, ...earlierIds.map((id) => `answer-${id}`)].map(formatMessageId)
  const subject = `Re: ${supportMessage.subject}`
  return {
    to: supportMessage.email,
    subject,
    ...renderMail({
      preview: text.slice(0, 120),
      heading: subject,
      paragraphs: text.split(/\n\s*\n/).map((paragraph) => paragraph.trim()),
      note: formatQuote(supportMessage),
    }),
    headers: {
      'Message-ID': formatMessageId(`answer-${answerId}`),
      'In-Reply-To': references.at(-1) ?? '',
      References: references.join(' '),
      ...(config.mail.supportEmail === null ? {} : { 'Reply-To': config.mail.supportEmail }),
      'Auto-Submitted': 'no',
    },
  }
}

const MAX_QUOTE = 1_000

function formatQuote({ name, message, at }: SupportAnswer['supportMessage']): string {
  const quotedText = message.length > MAX_QUOTE ? `${message.slice(0, MAX_QUOTE)}…` : message
  return `On ${at.toISOString().slice(0, 10)}, ${name} wrote: ${quotedText.replaceAll(/\s+/g, ' ')}`
}

/**
 * Returns the Message-ID of the email that copies a support message to the operator, so that the
 * replies are in the thread of that email.
 */
export function formatMailMessageId({ config }: Pick<Context, 'config'>, supportMessageId: number): string {
  return `<letter-${supportMessageId}@${new URL(config.http.publicUrl).hostname}>`
}
