import { auditActions, priorities, userFilters } from '@tocsin/protocol'
import { z } from 'zod'
import { unusualFlags } from './order-words.ts'

/** The router reads `?search=42` as a number: what people typed is text. */
const text = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).slice(0, 200))
  .catch('')

const adminSearch = z.object({
  tab: z.enum(['dashboard', 'alerts', 'users']).catch('dashboard'),
  /** Within its tab: `audit` of the dashboard, `payments` of the users; without it the tab's first one. */
  view: z.enum(['audit', 'payments']).optional().catch(undefined),
  search: text,
  filter: z.enum(userFilters).catch('all'),
  /** The account whose details are open. */
  user: z.uuid().optional().catch(undefined),
  priority: z.enum(priorities).optional().catch(undefined),
  state: z.enum(['open', 'resolved']).catch('open'),
  /** Of unusual purchases: what was unusual, and whether somebody has settled it. */
  flag: z.enum(unusualFlags).catch('over'),
  purchases: z.enum(['open', 'resolved']).catch('open'),
  action: z.enum(auditActions).optional().catch(undefined),
  actor: z.string().max(100).optional().catch(undefined),
})

/** Where in the admin area one is, as far as its address says. */
export type AdminPlace = z.infer<typeof adminSearch>

export const firstPlace: AdminPlace = adminSearch.parse({})

export function readAdminPlace(search: unknown): AdminPlace {
  return adminSearch.parse(search)
}

/** The address's query for a place, without what goes without saying. */
export function searchOf(place: Partial<AdminPlace>): Partial<AdminPlace> {
  const first: Record<string, unknown> = firstPlace
  return Object.fromEntries(Object.entries(place).filter(([key, value]) => value !== undefined && value !== first[key]))
}
