import type { Mail } from '../../context.ts'

/** @param amount with its unit: "75 ITO" */
export function writeRevocation(to: string, amount: string, txHash: string): Mail {
  const sentences = [
    `Your payment of ${amount} was in a block that the chain has since replaced, so it is not confirmed any more.`,
    'Your plan waits. As soon as the payment is in a block again, the plan goes on by itself: do not pay a second time.',
    `Transaction: ${txHash}`,
  ]
  return {
    to,
    subject: 'Your payment is waiting for the chain',
    text: sentences.join('\n\n'),
    html: sentences.map((sentence) => `<p>${sentence}</p>`).join('\n'),
  }
}
