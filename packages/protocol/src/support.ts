import { z } from 'zod'
import { createLineSchema, createVisibleTextSchema } from './shared-schemas.ts'

export const supportCategories = ['account', 'subscription', 'wallet', 'technical', 'billing', 'other'] as const
export type SupportCategory = (typeof supportCategories)[number]

/** POST /api/support: a message to the operator. */
export const supportRequest = z.strictObject({
  /** One line each, because they go into email headers. */
  name: createLineSchema(100),
  email: z
    .email()
    .max(254)
    .regex(/^[^@]+@[^.]{1,63}(\.[^.]{1,63})+$/, 'Invalid email address'),
  subject: createLineSchema(200),
  category: z.enum(supportCategories).optional(),
  message: createVisibleTextSchema(5000),
})
