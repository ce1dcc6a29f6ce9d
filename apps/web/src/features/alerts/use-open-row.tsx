import type { ListedAlert } from '@tocsin/protocol'
import { type ReactNode, useCallback } from 'react'
import { useAlertSearchParams } from '../alert/use-alert-search-params.ts'
import { LinkedAlert } from './linked-alert.tsx'
import { useMarkReadOnce, type useReadAlerts } from './use-read-alerts.ts'

type OpenRow = {
  openId: string | null
  onToggle: (entry: ListedAlert) => void
  /**
   * Shows the open alert if the list does not contain it, because it is further down or excluded by
   * the filters.
   */
  linkedRow: ReactNode
}

/**
 * Returns the row that the URL opens, and marks its alert as read. For lists whose rows expand.
 * @param pages `entries` are the shown rows
 */
export function useOpenRow(
  pages: { entries: readonly ListedAlert[]; isSuccess: boolean },
  { markAsRead, opened }: Pick<ReturnType<typeof useReadAlerts>, 'markAsRead' | 'opened'>,
): OpenRow {
  const { searchParams, toggle } = useAlertSearchParams()
  const openId = searchParams.alert ?? null
  const onToggle = useCallback(({ id }: ListedAlert) => toggle(id), [toggle])
  const openEntry = pages.entries.find(({ id }) => id === openId)
  useMarkReadOnce(openEntry, markAsRead)
  const linkedRow = openId !== null && pages.isSuccess && !openEntry && (
    <LinkedAlert id={openId} isOpen openedIds={opened} onToggle={onToggle} onRead={markAsRead} />
  )
  return { openId, onToggle, linkedRow }
}
