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

export function supportMail(to: string, written: SupportMessage): Mail {
  const { name, email, subject, category, message, accountId } = written
  const content = {
    preview: `${name} wrote through the support form.`,
    heading: 'A message through the support form',
    paragraphs: message.split(/\n+/).filter((paragraph) => paragraph.trim() !== ''),
    facts: [
      { label: 'Subject', value: subject },
      { label: 'Category', value: category ?? 'none' },
      { label: 'Name', value: name },
      { label: 'Email', value: email },
      { label: 'Account', value: accountId ?? 'not signed in' },
    ],
    note: 'The name and address are what the sender typed. Answer to the address, and ask for nothing secret.',
  }
  return { to, subject: `[Tocsin support] ${subject}`, ...renderMail(content) }
}
