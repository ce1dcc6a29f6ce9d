import type { SupportCategory } from '@tocsin/protocol'
import type { Mail } from '../../context.ts'
import { renderMail } from '../../mail/layout.ts'

export interface SupportMessage {
  name: string
  email: string
  subject: string
  category: SupportCategory | null
  message: string
  accountId: string | null
}

export function supportMail(to: string, supportMessage: SupportMessage): Mail {
  const { name, email, subject, category, message, accountId } = supportMessage
  const content = {
    preview: `Support message from ${name}.`,
    heading: 'New support message',
    paragraphs: message.split(/\n+/).filter((paragraph) => paragraph.trim() !== ''),
    facts: [
      { label: 'Subject', value: subject },
      { label: 'Category', value: category ?? 'none' },
      { label: 'Name', value: name },
      { label: 'Email', value: email },
      { label: 'Account', value: accountId ?? 'not signed in' },
    ],
    note: 'The name and address were entered by the sender and are not verified. Reply to the address, and do not ask for secrets.',
  }
  return { to, subject: `[Tocsin support] ${subject}`, ...renderMail(content) }
}
