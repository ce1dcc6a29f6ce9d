import { z } from 'zod'
import { isOneLine, isPlainText, isVisible } from './plain-text.ts'

/** An account as staff see it in lists. */
export const accountReference = z.object({ id: z.uuid(), name: z.string(), email: z.string().nullable() })

/** The account that took part in an action. `name` is null if the account was deleted. */
export const person = z.object({ id: z.string(), name: z.string().nullable() })

/** True if the list contains no value twice. */
export function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}

export const createVisibleTextSchema = (maxLength: number) =>
  z.string().trim().min(1).max(maxLength).refine(isPlainText, 'Not plain text').refine(isVisible, 'No visible text')

export const createLineSchema = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine((text) => isPlainText(text) && isOneLine(text) && isVisible(text), 'Expected one line of visible text')

/** The cursor of a list whose position is a number. Absent for the first page. */
export const numericCursor = z
  .string()
  .regex(/^\d{1,15}$/, 'Not a cursor of this list')
  .optional()

/** The number of items of a page. */
export const pageSize = z.coerce.number().int().min(1).max(100).default(50)

/** The text that a list is searched for. */
export const searchText = z.string().trim().max(200).refine(isPlainText, 'Not plain text').optional()

/** A page of a list. `nextCursor` is null on the last page. */
export const createPageSchema = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() })
