import { z } from 'zod'
import { paths } from '../../paths.ts'

const adminSearch = z.object({ tab: z.enum(['dashboard', 'alerts']).catch('dashboard') })

/** The tab that the address of /admin names. */
export type AdminTab = z.infer<typeof adminSearch>['tab']

export function readAdminTab(search: unknown): AdminTab {
  return adminSearch.parse(search).tab
}

export function adminHref(tab: AdminTab): string {
  return tab === 'dashboard' ? paths.admin : `${paths.admin}?tab=${tab}`
}
