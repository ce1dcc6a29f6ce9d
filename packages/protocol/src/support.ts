import { z } from 'zod'
import { isOneLine, isPlainText, isVisible } from './plain-text.ts'

export const supportCategories = ['account', 'subscription', 'wallet', 'technical', 'billing', 'other'] as const
export type SupportCategory = (typeof supportCategories)[number]

const createTextSchema = (max: number) =>
  z.string().trim().min(1).max(max).refine(isPlainText, 'Not plain text').refine(isVisible, 'No visible text')
/** A single line, because it goes into email headers. */
const createLineSchema = (max: number) => createTextSchema(max).refine(isOneLine, 'Not one line')

/** POST /api/support: a message to the operator. */
export const supportRequest = z.strictObject({
  name: createLineSchema(100),
  email: z
    .email()
    .max(254)
    .regex(/^[^@]+@[^.]{1,63}(\.[^.]{1,63})+$/, 'Invalid email address'),
  subject: createLineSchema(200),
  category: z.enum(supportCategories).optional(),
  message: createTextSchema(5000),
})
