import { type AlertSelection, isPlainText, priorities } from '@tocsin/protocol'
import { z } from 'zod'

/** The router parses `?q=42` as a number, but search text is always a string. */
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
  /** Only assets of the watchlist. */
  watchlist: z.literal(true).optional().catch(undefined),
  /** Id of the alert that the link opens. */
  alert: text,
})

/** State of the alert list that the URL holds: the filters and the open alert. */
export type AlertPlace = Partial<z.infer<typeof alertPlace>>

/** Drops invalid values and swaps a reversed date range. */
export function readAlertPlace(search: unknown): AlertPlace {
  const { from, to, ...place } = alertPlace.parse(search)
  const isReversed = from !== undefined && to !== undefined && from > to
  return omitUndefined({ ...place, ...(isReversed ? { from: to, to: from } : { from, to }) })
}

/** @param watched assets of the watchlist; if there are none, no alert matches */
export function selectionOf(place: AlertPlace, watched: readonly string[]): AlertSelection {
  const { alert: _, watchlist, ...selection } = place
  return omitUndefined({ ...selection, assets: watchlist && (watched.length > 0 ? [...watched] : '') })
}

export function isFiltered(place: AlertPlace): boolean {
  return Object.keys(selectionOf(place, [])).length > 0
}

/** Removes keys whose value is undefined, so that equal places compare as equal. */
export function omitUndefined<Of extends object>(of: Of): Of {
  // Safe cast: only undefined values are removed, so their keys must be optional in `Of`.
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Of
}
