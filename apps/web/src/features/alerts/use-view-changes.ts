import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ViewFilter } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { alertQueries } from '../alert/alert-queries.ts'

type ViewChange =
  | { kind: 'create'; name: string; filter: ViewFilter }
  | { kind: 'rename'; id: string; name: string }
  | { kind: 'replace'; id: string; filter: ViewFilter }
  | { kind: 'delete'; id: string }

/** Saves, renames, replaces or deletes a view, and refetches the views here and in other tabs. */
export function useViewChange(onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: sendChange,
    onSuccess: onDone,
    // Refetch after an error too, because another tab may have deleted the view.
    onSettled: () => {
      notifyOtherTabs('preferences')
      void client.invalidateQueries({ queryKey: queries.activity.queryKey })
      return client.invalidateQueries({ queryKey: alertQueries.views.queryKey })
    },
  })
}

async function sendChange(change: ViewChange): Promise<void> {
  switch (change.kind) {
    case 'create':
      await call('createAlertView', { body: { name: change.name, filter: change.filter } })
      break
    case 'rename':
      await call('changeAlertView', { params: { id: change.id }, body: { name: change.name } })
      break
    case 'replace':
      await call('changeAlertView', { params: { id: change.id }, body: { filter: change.filter } })
      break
    case 'delete':
      await call('deleteAlertView', { params: { id: change.id } })
  }
}
