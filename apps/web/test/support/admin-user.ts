import { listPermissions, type Permission, type StaffRole } from '@tocsin/protocol'

const user = { id: 'u-1', permissions: listPermissions('owner') as readonly Permission[] }

/**
 * Sets the role of the fake user. All test files of a worker share this user, so a test that
 * depends on a role must set it.
 */
export function setAdminRole(role: StaffRole): void {
  user.permissions = listPermissions(role)
}

/**
 * Mocks of `session/auth.tsx` and `use-admin-search-params.ts`. Vitest runs without isolation, so
 * modules that a test file has loaded keep its mocks in the next test files of the worker.
 * Therefore all test files of the admin area must use these mocks.
 */
export const adminAuth = { useUser: () => user, useAuth: () => ({ signOut: async () => {} }) }
export const adminSearchParams = { useAdminSearchParams: () => ({ tab: 'dashboard', search: '', go: {} }) }
