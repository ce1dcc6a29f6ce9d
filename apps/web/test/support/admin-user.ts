import { listPermissions, type Permission, type StaffRole } from '@tocsin/protocol'

const user = { id: 'u-1', permissions: listPermissions('owner') as readonly Permission[] }

/** Sets the role of the fake user. Test files share it, so a test that needs a role sets it. */
export function setAdminRole(role: StaffRole): void {
  user.permissions = listPermissions(role)
}

/**
 * Mocks of `session/auth.tsx` and `use-admin-search-params.ts`. Modules stay loaded for the next
 * test file of a worker, with the mocks of the first one, so all files of the admin area use these.
 */
export const adminAuth = { useUser: () => user, useAuth: () => ({ signOut: async () => {} }) }
export const adminSearchParams = { useAdminSearchParams: () => ({ tab: 'dashboard', search: '', go: {} }) }
