import {
  auditActions,
  paymentStates,
  planIds,
  priorities,
  securityCategories,
  supportMessageStates,
  userFilters,
  userSorts,
} from '@tocsin/protocol'
import { z } from 'zod'
import { unusualFlags } from './order-texts.ts'

/** The router parses `?search=42` as a number, but search text is always a string. */
const textParam = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).slice(0, 200))
  .catch('')

const searchParamsSchema = z.object({
  tab: z.enum(['business', 'dashboard', 'alerts', 'users', 'letters']).catch('business'),
  /**
   * View within the tab. `engine`, `instances`, `audit` and `security` belong to the dashboard tab,
   * and `payments`, `coupons` and `outreach` to the users tab. Undefined for the first view.
   */
  view: z
    .enum(['engine', 'instances', 'audit', 'security', 'payments', 'coupons', 'outreach'])
    .optional()
    .catch(undefined),
  search: textParam,
  filter: z.enum(userFilters).catch('all'),
  sort: z.enum(userSorts).catch('newest'),
  /** Id of the account whose details are open. */
  user: z.uuid().optional().catch(undefined),
  priority: z.enum(priorities).optional().catch(undefined),
  /** Filter by state in the list of all payments. */
  payment: z.enum(paymentStates).optional().catch(undefined),
  plan: z.enum(planIds).optional().catch(undefined),
  state: z.enum(['open', 'resolved']).catch('open'),
  /** Filters of the unusual purchases: by flag, and by whether they are resolved. */
  flag: z.enum(unusualFlags).catch('over'),
  purchases: z.enum(['open', 'resolved']).catch('open'),
  letters: z.enum(supportMessageStates).catch('open'),
  /** Id of the support message that is open in the dialog. */
  letter: z.coerce.number().int().positive().optional().catch(undefined),
  action: z.enum(auditActions).optional().catch(undefined),
  actor: z.string().max(100).optional().catch(undefined),
  /** Category that the security log is filtered by. */
  category: z.enum(securityCategories).optional().catch(undefined),
})

/** The state of the admin area, as the URL stores it. */
export type AdminSearchParams = z.infer<typeof searchParamsSchema>

export const defaultSearchParams: AdminSearchParams = searchParamsSchema.parse({})

export function readAdminSearchParams(search: unknown): AdminSearchParams {
  const searchParams = searchParamsSchema.parse(search)
  // Older links name a view of the dashboard tab without the tab, because that tab was the default.
  return searchParams.view !== undefined && searchParams.tab === 'business'
    ? { ...searchParams, tab: 'dashboard' }
    : searchParams
}

/** Returns the URL query for a state, without the values that are the default. */
export function omitDefaults(searchParams: Partial<AdminSearchParams>): Partial<AdminSearchParams> {
  const defaults: Record<string, unknown> = defaultSearchParams
  return Object.fromEntries(
    Object.entries(searchParams).filter(([key, value]) => value !== undefined && value !== defaults[key]),
  )
}
