import {
  auditActions,
  letterStates,
  paymentStates,
  planIds,
  priorities,
  securityCategories,
  userFilters,
  userSorts,
} from '@tocsin/protocol'
import { z } from 'zod'
import { unusualFlags } from './order-words.ts'

/** The router parses `?search=42` as a number, but search text is always a string. */
const text = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).slice(0, 200))
  .catch('')

const adminSearch = z.object({
  tab: z.enum(['business', 'dashboard', 'alerts', 'users', 'letters']).catch('business'),
  /**
   * View within its tab: `engine`, `instances`, `audit` and `security` of the dashboard,
   * `payments`, `coupons` and `outreach` of the users. Default: the first view.
   */
  view: z
    .enum(['engine', 'instances', 'audit', 'security', 'payments', 'coupons', 'outreach'])
    .optional()
    .catch(undefined),
  search: text,
  filter: z.enum(userFilters).catch('all'),
  sort: z.enum(userSorts).catch('newest'),
  /** Id of the account whose details are open. */
  user: z.uuid().optional().catch(undefined),
  priority: z.enum(priorities).optional().catch(undefined),
  /** Filters of all payments. */
  payment: z.enum(paymentStates).optional().catch(undefined),
  plan: z.enum(planIds).optional().catch(undefined),
  state: z.enum(['open', 'resolved']).catch('open'),
  /** Filters of unusual purchases: the anomaly, and whether it is resolved. */
  flag: z.enum(unusualFlags).catch('over'),
  purchases: z.enum(['open', 'resolved']).catch('open'),
  letters: z.enum(letterStates).catch('open'),
  /** Id of the letter that is open. */
  letter: z.coerce.number().int().positive().optional().catch(undefined),
  action: z.enum(auditActions).optional().catch(undefined),
  actor: z.string().max(100).optional().catch(undefined),
  /** Category of the security log. */
  category: z.enum(securityCategories).optional().catch(undefined),
})

/** State of the admin area that the URL holds. */
export type AdminPlace = z.infer<typeof adminSearch>

export const firstPlace: AdminPlace = adminSearch.parse({})

export function readAdminPlace(search: unknown): AdminPlace {
  const place = adminSearch.parse(search)
  // Links from before the business tab named only the view of the first tab.
  return place.view !== undefined && place.tab === 'business' ? { ...place, tab: 'dashboard' } : place
}

/** The URL query for a state, without default values. */
export function searchOf(place: Partial<AdminPlace>): Partial<AdminPlace> {
  const first: Record<string, unknown> = firstPlace
  return Object.fromEntries(Object.entries(place).filter(([key, value]) => value !== undefined && value !== first[key]))
}
