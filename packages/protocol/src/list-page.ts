import { z } from 'zod'

/** The cursor of a list whose position is a number. Absent for the first page. */
export const numericCursor = z
  .string()
  .regex(/^\d{1,15}$/, 'Not a cursor of this list')
  .optional()

/** A page of a list. `nextCursor` is null on the last page. */
export const createPageSchema = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() })
