import { z } from 'zod'

/** Roles of the operator's staff, the most powerful first. */
export const staffRoles = ['owner', 'admin', 'publisher', 'support', 'auditor'] as const
export type StaffRole = (typeof staffRoles)[number]
export const roles = ['user', ...staffRoles] as const
export const role = z.enum(roles)
export type Role = z.infer<typeof role>

/**
 * The permissions, with the roles that have them. Each endpoint of the admin area names the
 * permission that it requires.
 */
export const permissionHolders = {
  /**
   * Read all alerts, including drafts (alerts that were not broadcast), in lists and in the live
   * stream, and which accounts the alerts reached.
   */
  'alerts.read': ['owner', 'admin', 'publisher', 'auditor'],
  /** Issue, correct, retract and broadcast alerts. */
  'alerts.publish': ['owner', 'admin', 'publisher'],
  'users.read': ['owner', 'admin', 'support', 'auditor'],
  /** Suspend users, end their sessions, reset their second factors. */
  'users.manage': ['owner', 'admin', 'support'],
  /** Like `users.manage`, for staff who are not owners. Only owners manage owners. */
  'staff.manage': ['owner', 'admin'],
  'roles.change': ['owner'],
  /** Read payments, orders, revenue and the treasury. */
  'payments.read': ['owner', 'admin', 'auditor'],
  /** Resolve payments and orders, extend and cancel plans. */
  'payments.manage': ['owner', 'admin'],
  /** Read messages of the support form. */
  'letters.read': ['owner', 'admin', 'support', 'auditor'],
  'letters.answer': ['owner', 'admin', 'support'],
  /** Read announcements and messages to segments. */
  'outreach.read': ['owner', 'admin', 'support', 'auditor'],
  'outreach.send': ['owner', 'admin'],
  /**
   * Read the dashboard: its figures, settings of chain and feed, and the state of all components.
   */
  'settings.read': ['owner', 'admin', 'auditor'],
  'settings.change': ['owner', 'admin'],
  'audit.read': ['owner', 'admin', 'auditor'],
} as const satisfies Record<string, readonly StaffRole[]>

export type Permission = keyof typeof permissionHolders
export const permissions = Object.keys(permissionHolders) as [Permission, ...Permission[]]

export const permission = z.enum(permissions)

export function listPermissions(role: Role): Permission[] {
  return permissions.filter((name) => rolesWith(name).includes(role))
}

export function rolesWith(name: Permission): readonly Role[] {
  return permissionHolders[name]
}
