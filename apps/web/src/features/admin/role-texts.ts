import type { Role } from '@tocsin/protocol'

export const roleLabels: Record<Role, { name: string; detail: string }> = {
  owner: { name: 'Owner', detail: 'Full access to this area, including roles.' },
  admin: { name: 'Administrator', detail: 'Full access to this area, but cannot change roles or manage owners.' },
  publisher: { name: 'Publisher', detail: 'Reads and issues alerts. Sees no users and no payments.' },
  support: { name: 'Support', detail: 'Reads and manages users. Sees no payments and no alerts.' },
  auditor: { name: 'Auditor', detail: 'Read-only access to everything in this area.' },
  user: { name: 'Regular User', detail: 'Has no access to this area.' },
}

/**
 * Returns "Regular User" for users and "Administrator" for admins. For other roles, appends the
 * role to "Administrator", for example "Administrator (owner)".
 */
export function formatAccountType(role: Role): string {
  const { name } = roleLabels[role]
  return role === 'user' || role === 'admin' ? name : `${roleLabels.admin.name} (${name.toLowerCase()})`
}
