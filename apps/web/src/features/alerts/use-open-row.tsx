import type { ListedAlert } from '@tocsin/protocol'
import { type ReactNode, useCallback } from 'react'
import { useAlertSearchParams } from '../alert/use-alert-search-params.ts'
import { LinkedAlert } from './linked-alert.tsx'
import type { useAlertPages } from './use-alert-pages.ts'
import type { useReadAlerts } from './use-read-alerts.ts'

type OpenRow = {
  openId: string | null
  onToggle: (entry: ListedAlert) => void
  /**
   * Shows the open alert if the list does not contain it, because it is further down or excluded by
   * the filters.
   */
  linkedRow: ReactNode
}

/** Returns the row that the URL opens. For lists whose rows expand. */
export function useOpenRow(
  pages: ReturnType<typeof useAlertPages>,
  { read, opened }: Pick<ReturnType<typeof useReadAlerts>, 'read' | 'opened'>,
): OpenRow {
  const { searchParams, toggle } = useAlertSearchParams()
  const openId = searchParams.alert ?? null
  const onToggle = useCallback(
    (entry: ListedAlert) => {
      toggle(entry.id)
      read(entry)
    },
    [toggle, read],
  )
  const isOutsideList = openId !== null && pages.isSuccess && !pages.entries.some(({ id }) => id === openId)
  const linkedRow = isOutsideList && (
    <LinkedAlert id={openId} isOpen openedIds={opened} onToggle={onToggle} onRead={read} />
  )
  return { openId, onToggle, linkedRow }
}
