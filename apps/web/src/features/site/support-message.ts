import { isOneLine, isPlainText, isVisible, type SupportCategory, supportCategories } from '@tocsin/protocol'
import { z } from 'zod'

/** Labels of the categories. */
export const categoryLabels: Record<SupportCategory, string> = {
  account: 'Account',
  subscription: 'Subscription',
  wallet: 'Wallet',
  technical: 'Technical issue',
  billing: 'Billing',
  other: 'Other',
}

const createTextSchema = (max: number, missingMessage: string) =>
  z
    .string()
    .trim()
    .refine(isVisible, missingMessage)
    .max(max, `At most ${max} characters`)
    .refine(isPlainText, 'Not plain text')
const createLineSchema = (max: number, missingMessage: string) =>
  createTextSchema(max, missingMessage).refine(isOneLine, 'Not one line')

/** Values of the form. The category is empty if none is selected. */
export const supportForm = z.object({
  name: createLineSchema(100, 'Please enter your name'),
  email: z.email('Please enter a valid email address').max(254),
  subject: createLineSchema(200, 'Please enter a subject'),
  category: z.enum(['', ...supportCategories]),
  message: createTextSchema(5000, 'Please enter a message'),
})
export type SupportForm = z.infer<typeof supportForm>

export const emptySupportForm: SupportForm = { name: '', email: '', subject: '', category: '', message: '' }
