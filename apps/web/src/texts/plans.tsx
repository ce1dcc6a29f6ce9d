import type { ReactNode } from 'react'
import { inLanguage } from './language.ts'

const en = {
  balance: {
    balanceUnknown: 'Balance unknown',
    reading: 'Reading…',
    tryAgain: 'Try again',
  },
  plansPanel: {
    subscriptionPlans: 'Subscription plans',
    youAlreadyHaveAnActive: 'You already have an active subscription',
    current: 'Current',
    selectNamed: ({ plan, price }: { plan: string; price: number }) => `Select Plan: ${plan}, ${price} ITO`,
    selectPlan: 'Select Plan',
  },
  subscriptionCard: {
    subscriptionStatus: 'Subscription status',
    active: 'Active',
    expired: 'Expired',
    inactive: 'Inactive',
    timeLeft: 'Time left',
    days: 'days',
    hours: 'hours',
    minutes: 'minutes',
    seconds: 'seconds',
    itoOneCellPerHour: ({ tokenAmount }: { tokenAmount: string }) => ` · ${tokenAmount} ITO · one cell per hour`,
    ends: ({ endTime, zone }: { endTime: ReactNode; zone: ReactNode }) => (
      <>
        Ends {endTime} {zone}
      </>
    ),
    thenPaidAndQueued: ({ planType }: { planType: ReactNode }) => <>Then {planType}, paid and queued</>,
    lessThanLeft: ({ minutes }: { minutes: number }) =>
      `Less than ${minutes <= 1 ? 'a minute' : minutes === 60 ? 'an hour' : `${minutes} minutes`} left. A new plan can be bought when this one ends.`,
    paymentHistory: 'Payment history',
    alertsComeLate: ({ isExpired, delayHours }: { isExpired: boolean; delayHours: number | undefined }) => {
      const state = isExpired ? 'Your plan has ended.' : 'No plan is running.'
      if (delayHours === 0) return `${state} Alerts are public at once here; a plan brings them live.`
      const delay = delayHours ? `${delayHours} ${delayHours === 1 ? 'hour' : 'hours'} late` : 'late'
      return `${state} Alerts reach you ${delay} until you subscribe.`
    },
    subscribe: 'Subscribe',
  },
}

export const plansTexts = inLanguage({ en })
