import { type AlertSelection, isPlainText, listedVerdicts, priorities, type ViewFilter } from '@tocsin/protocol'
import { z } from 'zod'

/** The router parses `?q=42` as a number, but search text is always a string. */
const oneText = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).trim().slice(0, 200))
  .refine((value) => value !== '' && isPlainText(value))
const text = oneText.optional().catch(undefined)
const day = z.iso.date().optional().catch(undefined)
const mostNames = 50

/** Values of a filter that takes several: one or a list, of which invalid ones are dropped. */
const severalOf = <T extends string>(one: z.ZodType<T>, inOrder: (values: T[]) => T[]) =>
  z
    .unknown()
    .optional()
    .transform((value): T[] | undefined => {
      const values = [value].flat().flatMap((each) => {
        const read = one.safeParse(each)
        return read.success ? [read.data] : []
      })
      return values.length > 0 ? inOrder([...new Set(values)]) : undefined
    })
const names = severalOf(oneText, (values) => values.sort().slice(0, mostNames))

const alertPlace = z.object({
  q: text,
  priority: severalOf(z.enum(priorities), (values) => priorities.filter((each) => values.includes(each))),
  asset: names,
  type: names,
  regime: text,
  verdict: z.enum(listedVerdicts).optional().catch(undefined),
  from: day,
  to: day,
  read: z.literal('unread').optional().catch(undefined),
  /** Only assets of the watchlist. */
  watchlist: z.literal(true).optional().catch(undefined),
  /** Id of the alert that the link opens. */
  alert: text,
})

/** State of the alert list that the URL holds: the filters and the open alert. */
export type AlertPlace = ViewFilter & { alert?: string | undefined }

/** Drops invalid values and swaps a reversed date range. Equal filters have one form. */
export function readAlertPlace(search: unknown): AlertPlace {
  const { from, to, ...place } = alertPlace.parse(search)
  const isReversed = from !== undefined && to !== undefined && from > to
  return omitUndefined({ ...place, ...(isReversed ? { from: to, to: from } : { from, to }) })
}

/** The place as URL parameters. A list of one value is written as that value. */
export function searchOf(place: AlertPlace): Record<string, unknown> {
  const { priority, asset, type, ...rest } = place
  return omitUndefined({
    ...rest,
    priority: unlessSingle(priority),
    asset: unlessSingle(asset),
    type: unlessSingle(type),
  })
}

const unlessSingle = (values: readonly string[] | undefined) => (values?.length === 1 ? values[0] : values)

/** The filters of the place, as a saved view holds them. */
export function filterOf(place: AlertPlace): ViewFilter {
  const { alert: _, ...filter } = place
  return filter
}

/** True if both places have the same filters. */
export function hasSameFilters(one: AlertPlace, other: AlertPlace): boolean {
  const formOf = (place: AlertPlace) => JSON.stringify(filterOf(readAlertPlace(place)))
  return formOf(one) === formOf(other)
}

/** @param watched assets of the watchlist; no alert matches an empty watchlist */
export function selectionOf(place: AlertPlace, watched: readonly string[]): AlertSelection {
  const { watchlist, asset, type, ...filter } = filterOf(place)
  const assets = watchlist ? watched.filter((name) => asset?.includes(name) ?? true) : asset
  return omitUndefined({
    ...filter,
    assets: assets && (assets.length > 0 ? assets : ''),
    types: type,
  })
}

export function isFiltered(place: AlertPlace): boolean {
  return Object.keys(selectionOf(place, [])).length > 0
}

/** Removes keys whose value is undefined, so that equal places compare as equal. */
function omitUndefined<Of extends object>(of: Of): Of {
  // Safe cast: only undefined values are removed, so their keys must be optional in `Of`.
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Of
}
