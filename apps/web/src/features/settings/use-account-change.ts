import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { sentenceOf } from '../../api.ts'
import { useConfirmed } from '../../confirmation.tsx'
import { NotConfirmed } from '../../confirmed.ts'
import { tellOtherTabs, useOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { toast } from '../../ui/toast.tsx'

const changed = [queries.account, queries.sessions, queries.currentUser, queries.activity]

/** Follows what this browser's other tabs change, a mailed link that was opened there among it. */
export function useAccountNews(): void {
  const queryClient = useQueryClient()
  const readAgain = useCallback(() => {
    for (const { queryKey } of changed) void queryClient.invalidateQueries({ queryKey })
  }, [queryClient])
  useOtherTabs('session', readAgain)
}

/** Reads again what a change of the account shows in, here and in this browser's other tabs. */
export function useAccountRefresh(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    tellOtherTabs('session')
    await Promise.all(changed.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))
  }
}

interface AccountChange<Input> {
  /** The call; where the server wants it confirmed, the person is asked and it is made again. */
  run: (input: Input) => Promise<{ message: string }>
  /** Title of the toast that tells the server's message. */
  done: string
  /** What to say when the server gave no reason. */
  failed: string
}

/**
 * A change of one's own account by a button: what came of it is a toast. Not confirming is no
 * failure.
 */
export function useAccountChange<Input = void>({ run, done, failed }: AccountChange<Input>) {
  const confirmed = useConfirmed()
  const refresh = useAccountRefresh()
  return useMutation({
    mutationFn: (input: Input) => confirmed(() => run(input)),
    onSuccess: async ({ message }) => {
      toast({ title: done, description: message, variant: 'success' })
      await refresh()
    },
    onError: (error) => toastFailure(error, failed),
  })
}

export function toastFailure(error: unknown, fallback: string): void {
  if (error instanceof NotConfirmed) toast({ title: 'Nothing was changed', description: error.message })
  else toast({ title: 'Error', description: sentenceOf(error, fallback), variant: 'destructive' })
}

/** The sentence for a change that did not happen. */
export function failureOf(error: unknown, fallback: string): string {
  return error instanceof NotConfirmed ? error.message : sentenceOf(error, fallback)
}
