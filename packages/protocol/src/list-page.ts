import { z } from 'zod'
import { isPlainText } from './plain-text.ts'

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
