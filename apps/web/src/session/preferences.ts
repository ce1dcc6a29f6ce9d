import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { defaultPreferences, type Preferences, type PreferencesChange } from '@tocsin/protocol'
import { call, getErrorMessage } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { notifyOtherTabs } from '../browser/other-tabs.ts'
import { toast } from '../ui/toast.tsx'

export const savePreferencesKey = ['save-preferences']
const { queryKey } = queries.preferences

/**
 * The account's preferences, or the defaults until they are loaded. `isKnown` is true once they are
 * loaded, `isSettled` once loading has finished or failed.
 */
export function usePreferences(): { preferences: Preferences; isKnown: boolean; isSettled: boolean } {
  const { data, isPending } = useQuery(queries.preferences)
  return { preferences: data ?? defaultPreferences, isKnown: data !== undefined, isSettled: !isPending }
}

/**
 * Returns a function that saves preferences with an optimistic update. Changes are sent in order; a
 * failed change is reverted and reported in a toast. The parameter `send` of the returned function
 * replaces the API call. It is called after all earlier changes have been saved or have failed.
 */
export function useSavePreferences() {
  const client = useQueryClient()
  const isOnlyChange = () => client.isMutating({ mutationKey: savePreferencesKey }) === 1
  const { mutate } = useMutation({
    mutationKey: savePreferencesKey,
    scope: { id: 'preferences' },
    mutationFn: ([, send]: [PreferencesChange, () => Promise<Preferences>]) => send(),
    onMutate: async ([change]) => {
      await client.cancelQueries({ queryKey })
      const previousPreferences = client.getQueryData(queryKey)
      client.setQueryData(
        queryKey,
        (currentPreferences) => currentPreferences && applyChange(currentPreferences, change),
      )
      return { before: previousPreferences }
    },
    onSuccess: (savedPreferences) => {
      // If a later change is pending, wait for its response, which contains both changes.
      if (isOnlyChange()) client.setQueryData(queryKey, savedPreferences)
      notifyOtherTabs('preferences')
      void client.invalidateQueries({ queryKey: queries.activity.queryKey })
    },
    onError: (error, [change], context) => {
      const before = context?.before
      if (before)
        client.setQueryData(
          queryKey,
          (currentPreferences) => currentPreferences && revertChange(currentPreferences, change, before),
        )
      // `onMutate` may have cancelled a request that loads the preferences, possibly the first one,
      // so load them again.
      if (isOnlyChange()) void client.invalidateQueries({ queryKey })
      const description = getErrorMessage(error, 'The server did not respond. Nothing was changed.')
      toast({ title: 'Setting Not Saved', description, variant: 'destructive' })
    },
  })
  return (change: PreferencesChange, send = () => call('savePreferences', { body: change })) => mutate([change, send])
}

export function applyChange(currentPreferences: Preferences, change: PreferencesChange): Preferences {
  const changedEntries = Object.entries(change).filter(([, value]) => value !== undefined)
  return { ...currentPreferences, ...Object.fromEntries(changedEntries) }
}

/** Reverts a failed change. Keeps values that a later change has replaced. */
export function revertChange(
  currentPreferences: Preferences,
  change: PreferencesChange,
  previousPreferences: Preferences,
): Preferences {
  const currentValues: Record<string, unknown> = currentPreferences
  const previousValues: Record<string, unknown> = previousPreferences
  const revertedEntries = Object.entries(change).filter(([name, value]) => isSameValue(currentValues[name], value))
  return { ...currentPreferences, ...Object.fromEntries(revertedEntries.map(([name]) => [name, previousValues[name]])) }
}

/**
 * Compares the values as text, because a list and its copy in the query cache are different
 * objects.
 */
const isSameValue = (one: unknown, other: unknown) => String(one) === String(other)
