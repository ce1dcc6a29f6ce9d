import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { closeOnEscape } from '../../ui/escape.ts'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { MissingAlert } from './dashboard-detail.tsx'
import { AlertContent, AlertTitle, HeaderActions } from './open-alert.tsx'
import type { Dashboard } from './use-dashboard.ts'

/** Shows the open alert as a sheet over the page, for screens below 1024 px. */
export function DetailSheet({ dashboard }: { dashboard: Dashboard }) {
  const focusReturn = useFocusReturn()
  const { id, entry, isPending, retry } = dashboard.linked
  if (id === null) return null
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && dashboard.close()}>
      <Radix.Portal>
        <div data-scroll-lock className="fixed inset-0 z-40 flex animate-fade justify-end bg-scrim">
          <Radix.Content
            {...focusReturn}
            onKeyDown={closeOnEscape(dashboard.close)}
            aria-describedby={undefined}
            data-detail
            className="flex h-full w-120 max-w-full flex-col overflow-y-auto border-l border-line-2 bg-ink-1 outline-none phone:w-full phone:border-l-0"
          >
            <div className="sticky top-0 z-1 flex h-14 shrink-0 items-center gap-2 border-b border-line-1 bg-ink-1 pr-2 pl-5 phone:pl-4">
              <Radix.Title asChild>
                <h2 className="flex min-w-0 flex-1 items-center gap-2 text-base font-normal">
                  {entry ? <AlertTitle alert={entry.alert} /> : 'Alert'}
                </h2>
              </Radix.Title>
              {entry && <HeaderActions alert={entry.alert} />}
              <Radix.Close asChild>
                <IconButton icon={X} label="Close" />
              </Radix.Close>
            </div>
            {entry ? (
              <AlertContent key={entry.id} alert={entry.alert} />
            ) : (
              <MissingAlert isPending={isPending} isUnavailable onRetry={retry} />
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}
