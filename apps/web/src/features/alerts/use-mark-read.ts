import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { queries } from '../../queries.ts'

const idsPerCall = 1000

/** Marks alerts as read at once here, then on the server; what the server could not keep is read again. */
export function useMarkRead(userId: string) {
  const queryClient = useQueryClient()
  const { queryKey } = queries.userAlerts(userId)
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (let start = 0; start < ids.length; start += idsPerCall) {
        await call('markAlertsRead', { body: { ids: ids.slice(start, start + idsPerCall) } })
      }
    },
    onMutate: (ids) => {
      const read = new Set(ids)
      queryClient.setQueryData(queryKey, (list) =>
        list?.map((entry) => (read.has(entry.alert.id) ? { ...entry, isRead: true } : entry)),
      )
    },
    onError: () => void queryClient.invalidateQueries({ queryKey }),
  })
}
