import { isOneLine, isPlainText, isVisible, type SupportCategory } from '@tocsin/protocol'
import { z } from 'zod'
import { siteTexts } from '../../texts/site.ts'

const texts = siteTexts.supportMessage

/** Labels in the order of the form. */
export const categoryLabels: Record<SupportCategory, string> = {
  account: texts.account,
  subscription: texts.subscription,
  wallet: texts.wallet,
  technical: texts.technicalIssue,
  billing: texts.billing,
  other: texts.other,
}

const text = (max: number, missing: string) =>
  z
    .string()
    .trim()
    .refine(isVisible, missing)
    .max(max, texts.atMostCharacters({ max }))
    .refine(isPlainText, texts.notPlainText)
const line = (max: number, missing: string) => text(max, missing).refine(isOneLine, texts.notPlainText)

/** Values of the form. The category is empty if none is selected. */
export const supportForm = z.object({
  name: line(100, texts.pleaseEnterYourName),
  email: z.email(texts.pleaseEnterAValidEmail).max(254),
  subject: line(200, texts.pleaseEnterASubject),
  category: z.enum(['', 'account', 'subscription', 'wallet', 'technical', 'billing', 'other']),
  message: text(5000, texts.pleaseEnterAMessage),
})
export type SupportForm = z.infer<typeof supportForm>

export const emptySupportForm: SupportForm = { name: '', email: '', subject: '', category: '', message: '' }
