import type { Mail } from '../../context.ts'
import { type MailContent, renderMail } from '../../mail/layout.ts'

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** @param hours formatted with its unit: "24 hours" */
export function writeExtension(to: string, hours: string, endsAt: Date): Mail {
  return compose(to, 'Your subscription was extended', {
    preview: `${hours} more of live alerts.`,
    paragraphs: [
      `Your Tocsin subscription was extended by ${hours}.`,
      `It now ends on ${moment.format(endsAt)} UTC. There is nothing to pay and nothing to do.`,
    ],
    note: 'You get this email because the operator changed your subscription.',
  })
}

export function writeCancellation(to: string): Mail {
  return compose(to, 'Your subscription was cancelled', {
    preview: 'Live alerts have stopped for your account.',
    paragraphs: [
      'The operator has cancelled your Tocsin subscription. Live alerts have stopped.',
      'Your account, its history and the alerts that are public stay open to you.',
    ],
    note: 'If you did not expect this, write to support.',
  })
}

function compose(to: string, subject: string, content: Omit<MailContent, 'heading'>): Mail {
  return { to, subject, ...renderMail({ heading: subject, ...content }) }
}
