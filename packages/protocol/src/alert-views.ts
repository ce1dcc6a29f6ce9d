import { z } from 'zod'
import { filterText } from './alert-lists.ts'
import { listedVerdicts, maxFilterNames } from './names.ts'
import { isoTime, priority, utcDay } from './primitives.ts'
import { createLineSchema, isDistinct } from './shared-schemas.ts'

export const maxViews = 20
export const viewNameLength = 40

const notDistinctMessage = 'List each value once'
const filterNames = z.array(filterText).min(1).max(maxFilterNames).refine(isDistinct, notDistinctMessage)

/** The filters of a saved view. Absent filters do not apply. */
export const viewFilter = z
  .strictObject({
    q: filterText,
    priority: z.array(priority).min(1).refine(isDistinct, notDistinctMessage),
    asset: filterNames,
    type: filterNames,
    regime: filterText,
    verdict: z.enum(listedVerdicts),
    /** UTC days, both inclusive. */
    from: utcDay,
    to: utcDay,
    read: z.literal('unread'),
    /** Only assets that are on the watchlist when the view is opened. */
    watchlist: z.literal(true),
  })
  .partial()
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), 'Expected at least one filter')
  .refine(({ from = '', to = '9999-12-31' }) => from <= to, {
    path: ['to'],
    message: 'Expected an end that is not before the start',
  })
export type ViewFilter = z.infer<typeof viewFilter>

const viewName = createLineSchema(viewNameLength)

/** Filters of the alert list that an account has saved under a name. */
export const alertView = z.object({ id: z.string(), name: z.string(), filter: viewFilter, createdAt: isoTime })
export type AlertView = z.infer<typeof alertView>

export const newAlertView = z.strictObject({ name: viewName, filter: viewFilter })
export const alertViewChange = z
  .strictObject({ name: viewName, filter: viewFilter })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'Expected a change')
