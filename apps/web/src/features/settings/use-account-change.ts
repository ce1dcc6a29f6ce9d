import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs, useOtherTabs } from '../../browser/other-tabs.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { apiKeysQuery } from './api-key-queries.ts'
import { securityLogQuery } from './security-log-query.ts'

const accountQueries = [
  queries.account,
  queries.factors,
  queries.sessions,
  queries.currentUser,
  queries.activity,
  apiKeysQuery,
  securityLogQuery,
]

/** Refetches when another tab changes the account, for example by opening an emailed link. */
export function useAccountSync(): void {
  const queryClient = useQueryClient()
  const refetch = useCallback(() => {
    for (const { queryKey } of accountQueries) void queryClient.invalidateQueries({ queryKey })
  }, [queryClient])
  useOtherTabs('session', refetch)
}

/**
 * Returns a function that refetches the account data in this tab and in other tabs of this browser.
 */
export function useAccountRefresh(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    notifyOtherTabs('session')
    await Promise.all(accountQueries.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))
  }
}

interface AccountChange {
  /**
   * The API call. If the server requires reauthentication, the call is sent again after the user
   * has confirmed.
   */
  run: () => Promise<{ message: string }>
  /** Title of the success toast. Its description is the server's message. */
  done: string
  /** Error message if the server gives no reason. */
  failed: string
}

/** Changes the user's own account and shows the result in a toast. */
export function useAccountChange({ run, done, failed }: AccountChange) {
  const withReauthentication = useReauthentication()
  const refresh = useAccountRefresh()
  return useMutation({
    mutationFn: () => withReauthentication(run),
    onSuccess: async ({ message }) => {
      toast({ title: done, description: message, variant: 'success' })
      await refresh()
    },
    onError: (error) => toastFailure(error, failed),
  })
}
