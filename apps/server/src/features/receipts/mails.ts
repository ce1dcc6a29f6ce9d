import { getPlan } from '@tocsin/protocol'
import { formatIto } from '../../chain/transfer.ts'
import type { Mail } from '../../context.ts'
import { composeMail, formatMoment } from '../../mail/compose.ts'
import type { PaidPeriod } from './receipt.ts'

export function receiptMail(to: string, { planId, payments, startsAt, endsAt }: PaidPeriod, publicUrl: string): Mail {
  const paidWei = payments.reduce((sum, { amountWei }) => sum + amountWei, 0n)
  return composeMail(to, 'Your payment has arrived', {
    preview: `${getPlan(planId).name} of live alerts.`,
    paragraphs: ['Your payment is confirmed on the chain. You receive live alerts for the period below.'],
    facts: [
      { label: 'Plan', value: getPlan(planId).name },
      { label: 'Paid', value: formatIto(paidWei) },
      { label: 'From', value: formatMoment(startsAt) },
      { label: 'To', value: formatMoment(endsAt) },
      ...payments.map(({ txHash }) => ({ label: 'Transaction', value: txHash })),
    ],
    action: { label: 'Get the signed receipt', url: `${publicUrl}/history` },
    note: 'The receipt is signed with the key of the alerts: anyone can verify it without asking us.',
  })
}

export function endingMail(to: string, endsAt: Date, publicUrl: string): Mail {
  return composeMail(to, 'Your subscription ends soon', {
    preview: `Live alerts stop at ${formatMoment(endsAt)}.`,
    paragraphs: [
      'Less than an hour is left of your Tocsin subscription. Live alerts stop when it ends.',
      'You can choose the next plan as soon as it has ended. Nothing is charged automatically.',
    ],
    facts: [{ label: 'Ends', value: formatMoment(endsAt) }],
    action: { label: 'Open the dashboard', url: `${publicUrl}/dashboard` },
    note: 'You get this email once before a subscription ends.',
  })
}
