import type { AdminMessage } from '@tocsin/protocol'
import type { Context, Mail } from '../../context.ts'
import { renderMail } from '../../mail/layout.ts'
import { createNewsToken } from '../channels/message-links.ts'

type Content = Pick<AdminMessage, 'kind' | 'subject' | 'text'>

/**
 * Writes the email of a message. Readers can unsubscribe from news with a link or in the email
 * client (RFC 8058).
 */
export function createMessageMail({ config }: Context, to: string, content: Content): Mail {
  const { kind, subject, text } = content
  const { publicUrl } = config.http
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim())
  const mailContent = { preview: paragraphs[0]?.slice(0, 120) ?? subject, heading: subject, paragraphs }
  if (kind === 'service') {
    const note = 'You get this email because it concerns the service that your account uses.'
    return { to, subject, ...renderMail({ ...mailContent, note }) }
  }
  const token = createNewsToken(config, to)
  const note = `You get this email because you have an account at Tocsin. Unsubscribe from news: ${publicUrl}/unsubscribe?token=${token}`
  return {
    to,
    subject,
    ...renderMail({ ...mailContent, note }),
    headers: {
      'List-Unsubscribe': `<${publicUrl}/api/channels/unsubscribe/${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/** Returns the message as text for chats. Each kind of destination escapes its own markup. */
export function formatText({ subject, text }: Pick<Content, 'subject' | 'text'>): string {
  return `${subject}\n\n${text}`
}
