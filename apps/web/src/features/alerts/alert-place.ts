import { type AlertSelection, isPlainText, priorities } from '@tocsin/protocol'
import { z } from 'zod'

/** The router reads `?q=42` as a number: what people typed is text. */
const text = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).trim().slice(0, 200))
  .refine((value) => value !== '' && isPlainText(value))
  .optional()
  .catch(undefined)
const day = z.iso.date().optional().catch(undefined)

const alertPlace = z.object({
  q: text,
  priority: z.enum(priorities).optional().catch(undefined),
  asset: text,
  type: text,
  from: day,
  to: day,
  read: z.literal('unread').optional().catch(undefined),
  /** The alert that a link names: shown opened. */
  alert: text,
})

/** Where in the list one is, as far as its address says: what is selected, and an alert that is opened by it. */
export type AlertPlace = Partial<z.infer<typeof alertPlace>>

/** What is wrong in an address is left out; days in the wrong order are meant in the right one. */
export function readAlertPlace(search: unknown): AlertPlace {
  const { from, to, ...place } = alertPlace.parse(search)
  const isReversed = from !== undefined && to !== undefined && from > to
  return withoutGaps({ ...place, ...(isReversed ? { from: to, to: from } : { from, to }) })
}

export function selectionOf({ alert: _, ...selection }: AlertPlace): AlertSelection {
  return withoutGaps(selection)
}

export function isFiltered(place: AlertPlace): boolean {
  return Object.keys(selectionOf(place)).length > 0
}

/** Without the keys that have no value, so that equal places are equal. */
export function withoutGaps<Of extends object>(of: Of): Of {
  // Only keys whose value is undefined are gone, and those may be absent.
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Of
}
