import type { Alert } from '@tocsin/protocol'
import { X } from 'lucide-react'
import { type ReactNode, Suspense, useDeferredValue, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { loadSchemas } from '../alert/load-schemas.ts'
import { type Dashboard, useShownAlert } from './use-dashboard.ts'

/** Loaded after the rows of the list, because the rows are more urgent. */
const OpenAlert = lazyLoad(async () => {
  await loadSchemas()
  return (await import('./open-alert.tsx')).SelectedAlert
})

const unavailableText = 'The linked alert is not available: it does not exist, or it requires a subscription.'

type DetailPaneProps = {
  dashboard: Dashboard
  /** True if the detail is shown beside the list. On narrow screens only the children are shown. */
  isSideBySide: boolean
  children: (selectedId: string | null) => ReactNode
}

/**
 * Renders the list and the detail beside it, which shows the open alert or else the newest. The
 * list has the same position in the React tree at every width, so that a resize neither closes its
 * dialogs nor discards its state.
 */
export function DetailPane({ dashboard, isSideBySide, children }: DetailPaneProps) {
  const pane = useRef<HTMLElement>(null)
  const { followed, showNewest } = useShownAlert(
    dashboard.live.shownItems[0]?.alert as Alert | undefined,
    dashboard.entries,
    pane,
  )
  const { id, entry, isPending, retry } = dashboard.linked
  const alert = id === null ? followed : entry?.alert
  // Deferred, so that the rows are painted first. The chart and the proof of another alert take
  // longer.
  const deferredAlert = useDeferredValue(alert)
  return (
    <>
      {children(isSideBySide ? (alert?.id ?? null) : id)}
      {isSideBySide && (
        <aside
          ref={pane}
          aria-label="Selected alert"
          data-detail
          className="focus-inset flex w-104 shrink-0 flex-col overflow-y-auto border-l border-line-1 bg-ink-1 xl:w-120 min-[1600px]:w-140"
        >
          {deferredAlert ? (
            <Suspense fallback={<MissingAlert isPending isUnavailable={false} />}>
              <OpenAlert
                alert={deferredAlert}
                isUnopened={deferredAlert.id !== id}
                leadingActions={
                  id === null &&
                  (showNewest === null ? (
                    <span className="pr-2 text-label text-2 max-[100rem]:sr-only">Newest</span>
                  ) : (
                    <Button size="sm" variant="ghost" onClick={showNewest}>
                      Show newest
                    </Button>
                  ))
                }
                trailingActions={id !== null && <IconButton icon={X} label="Close" onClick={dashboard.close} />}
              />
            </Suspense>
          ) : (
            <MissingAlert
              isPending={isPending || dashboard.pages.isPending}
              isUnavailable={id !== null}
              onRetry={retry}
            />
          )}
        </aside>
      )}
    </>
  )
}

type MissingAlertProps = {
  isPending: boolean
  isUnavailable: boolean
  /** Loads the alert again. Set only if the alert could not be loaded. */
  onRetry?: (() => void) | null
}

export function MissingAlert({ isPending, isUnavailable, onRetry }: MissingAlertProps) {
  if (isPending) {
    return (
      <p role="status" className="animate-late p-5 text-base text-2">
        Loading the alert…
      </p>
    )
  }
  if (onRetry) return <QueryError onRetry={onRetry}>The alert could not be loaded.</QueryError>
  return (
    <p className="p-5 text-base text-2">{isUnavailable ? unavailableText : 'The newest alert will appear here.'}</p>
  )
}
