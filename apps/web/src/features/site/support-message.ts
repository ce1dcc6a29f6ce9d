import { isPlainText, type SupportCategory } from '@tocsin/protocol'
import { z } from 'zod'

/** What each category is called, in the order of the form. */
export const categoryLabels: Record<SupportCategory, string> = {
  account: 'Account',
  subscription: 'Subscription',
  wallet: 'Wallet',
  technical: 'Technical issue',
  billing: 'Billing',
  other: 'Other',
}

const line = (max: number, missing: string) =>
  z.string().trim().min(1, missing).max(max, `At most ${max} characters`).refine(isPlainText, 'Not plain text')

/** The form as a person fills it; no category is an empty one. */
export const supportForm = z.object({
  name: line(100, 'Please enter your name'),
  email: z.email('Please enter a valid email address').max(254),
  subject: line(200, 'Please enter a subject'),
  category: z.enum(['', 'account', 'subscription', 'wallet', 'technical', 'billing', 'other']),
  message: line(5000, 'Please enter a message'),
})
export type SupportForm = z.infer<typeof supportForm>

export const emptySupportForm: SupportForm = { name: '', email: '', subject: '', category: '', message: '' }
