import type { Mail } from '../../context.ts'
import { composeMail } from '../../mail/compose.ts'

/** @param amount with its unit, such as "75 ITO" */
export function revocationMail(to: string, amount: string, txHash: string): Mail {
  return composeMail(to, 'Your payment is waiting for the chain', {
    preview: 'Your plan resumes automatically: do not pay a second time.',
    paragraphs: [
      `Your payment of ${amount} was in a block that the chain has since replaced, so it is not confirmed any more.`,
      'Your plan is paused. It resumes automatically when the payment is in a block again: do not pay a second time.',
    ],
    facts: [{ label: 'Transaction', value: txHash }],
    note: 'You get this email because a payment of your account was removed from the chain.',
  })
}
