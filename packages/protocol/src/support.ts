import { z } from 'zod'
import { isPlainText } from './primitives.ts'

export const supportCategories = ['account', 'subscription', 'wallet', 'technical', 'billing', 'other'] as const
export type SupportCategory = (typeof supportCategories)[number]

const text = (max: number) => z.string().trim().min(1).max(max).refine(isPlainText, 'Not plain text')
/** Goes into the heads of mails: one line. */
const line = (max: number) => text(max).refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), 'Not one line')

/** POST /api/support: what somebody writes to the operator. */
export const supportRequest = z.strictObject({
  name: line(100),
  email: z.email().max(254),
  subject: line(200),
  category: z.enum(supportCategories).optional(),
  message: text(5000),
})
