import { refreshAfterUserChange } from './refresh.ts'
import { type AdminAction, useAdminAction } from './use-admin-action.ts'

/** An action on an account: shows the result in a toast and refetches the account. */
export function useUserAction<Input = void>({ id, ...action }: { id: string } & Omit<AdminAction<Input>, 'refresh'>) {
  return useAdminAction<Input>({ ...action, refresh: (client) => refreshAfterUserChange(client, id) })
}
