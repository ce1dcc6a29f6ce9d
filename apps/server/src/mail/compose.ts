import type { Mail } from '../context.ts'
import { type MailContent, renderMail } from './layout.ts'

// Emails contain no user input, not even a name. Otherwise anyone could make the server send their
// own text to any address.

export function composeMail(to: string, subject: string, content: Omit<MailContent, 'heading'>): Mail {
  return { to, subject, ...renderMail({ heading: subject, ...content }) }
}

const momentFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Formats a time such as "15 January 2026 at 12:00 UTC". */
export const formatMoment = (at: Date) => `${momentFormat.format(at)} UTC`

/** Formats a time such as "2026-01-15 12:00 UTC". */
export const formatTime = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
