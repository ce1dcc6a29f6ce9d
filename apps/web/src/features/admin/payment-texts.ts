import type { PaymentState } from '@tocsin/protocol'
import type { BadgeTone } from '../../ui/badge.tsx'

export const paymentStateWords: Record<PaymentState, { label: string; tone: BadgeTone }> = {
  pending: { label: 'Pending', tone: 'neutral' },
  credited: { label: 'Credited', tone: 'ok' },
  overpaid: { label: 'Overpaid', tone: 'medium' },
  unmatched: { label: 'Unmatched', tone: 'medium' },
  refunded: { label: 'Refunded', tone: 'neutral' },
  ignored: { label: 'Ignored', tone: 'neutral' },
  reverted: { label: 'Reverted', tone: 'critical' },
}
