import type { Mail } from '../../context.ts'
import { composeMail, formatMoment } from '../../mail/compose.ts'

/** @param hours with its unit, such as "24 hours" */
export function extensionMail(to: string, hours: string, endsAt: Date): Mail {
  return composeMail(to, 'Your subscription was extended', {
    preview: `${hours} more of live alerts.`,
    paragraphs: [
      `Your Tocsin subscription was extended by ${hours}.`,
      `It now ends on ${formatMoment(endsAt)}. No payment or other action is needed.`,
    ],
    note: 'You get this email because the operator changed your subscription.',
  })
}

/** @param plan name of the plan, such as "24 hours" */
export function grantMail(to: string, plan: string, startsAt: Date, endsAt: Date): Mail {
  return composeMail(to, `You received ${plan} of live alerts`, {
    preview: `${plan} of live alerts, without a payment.`,
    paragraphs: [
      `The operator has given your account ${plan} of live alerts. No payment is needed.`,
      `The plan starts on ${formatMoment(startsAt)} and ends on ${formatMoment(endsAt)}. It does not renew.`,
    ],
    note: 'You get this email because the operator changed your subscription.',
  })
}

export function cancellationMail(to: string): Mail {
  return composeMail(to, 'Your subscription was cancelled', {
    preview: 'Live alerts have stopped for your account.',
    paragraphs: [
      'The operator has cancelled your Tocsin subscription. Live alerts have stopped.',
      'You can still use your account and its history, and read public alerts.',
    ],
    note: 'If you did not expect this, contact support.',
  })
}
