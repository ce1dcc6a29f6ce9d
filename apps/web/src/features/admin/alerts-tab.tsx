import { zodResolver } from '@hookform/resolvers/zod'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { priorities } from '@tocsin/protocol'
import { type ReactNode, Suspense, useCallback, useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { useIsPhone } from '../../ui/media-query.ts'
import { Panel } from '../../ui/panel.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { type AlertSelection, adminQueries } from './admin-queries.ts'
import { useAllowed } from './allowed.tsx'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { ContentFields } from './content-fields.tsx'
import { BroadcastField, LogNote } from './create-alert-fields.tsx'
import { formatMatches } from './format-matches.ts'
import { HistoryRow } from './history-row.tsx'
import { emptyAlert, type NewAlert, type NewAlertDraft, newAlertForm } from './new-alert.ts'
import { QueryRows } from './query-rows.tsx'
import { refreshAfterAlertChange } from './refresh.ts'
import { useAdminSearchParams } from './use-admin-search-params.ts'

const ScheduleDialog = lazyLoad(async () => (await import('./schedule-dialog.tsx')).ScheduleDialog)
const ScheduledPanel = lazyLoad(async () => (await import('./scheduled-panel.tsx')).ScheduledPanel)

export function AlertsTab() {
  if (!useAllowed('alerts.publish')) {
    return (
      <div className="grid gap-4">
        <Suspense>
          <ScheduledPanel />
        </Suspense>
        <AlertHistory />
      </div>
    )
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,544fr)_minmax(0,800fr)]">
      <CreateAlertForm />
      <div className="grid min-w-0 gap-4">
        <Suspense>
          <ScheduledPanel />
        </Suspense>
        <AlertHistory />
      </div>
    </div>
  )
}

function CreateAlertForm() {
  const queryClient = useQueryClient()
  const { register, handleSubmit, reset, control, formState, getValues } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(newAlertForm),
    defaultValues: emptyAlert,
  })
  const { errors, isSubmitting } = formState
  const [alertToConfirm, setAlertToConfirm] = useState<NewAlert | null>(null)
  const [draftToSchedule, setDraftToSchedule] = useState<NewAlertDraft | null>(null)

  async function createAlert(alert: NewAlert) {
    // A critical alert that is broadcast immediately has to be confirmed first.
    if (alert.priority === 'critical' && alert.broadcast && alertToConfirm === null) return setAlertToConfirm(alert)
    try {
      const { broadcast } = await call('createAlert', { body: alert })
      toast({ title: 'Alert Created', description: describeCreatedAlert(broadcast), variant: 'success' })
      reset(emptyAlert)
      setAlertToConfirm(null)
      refreshAfterAlertChange(queryClient)
    } catch (error) {
      // Do not show the server's message for status 500. It is the same for all calls and says less
      // than the fallback message.
      const shownError = error instanceof ApiError && error.status === 500 ? null : error
      toastFailure(shownError, 'Failed to create alert. Please try again.')
    }
  }

  return (
    <Panel title="Create Alert">
      <form noValidate onSubmit={handleSubmit(createAlert, toastInvalid)} className="flex flex-col gap-5">
        <ContentFields suggestionsId="alert" register={register} control={control} errors={errors} />
        <BroadcastField registration={register('broadcast')} />
        <LogNote>An alert can’t be edited afterwards.</LogNote>
        <Button type="submit" variant="primary" size="lg" busy={isSubmitting} className="w-full">
          {isSubmitting ? 'Creating…' : 'Create Alert'}
        </Button>
        <Button variant="ghost" size="lg" className="-mt-3 w-full" onClick={() => setDraftToSchedule(getValues())}>
          Schedule for later…
        </Button>
      </form>
      {draftToSchedule && (
        <Suspense>
          <ScheduleDialog
            initial={draftToSchedule}
            onDone={() => reset(emptyAlert)}
            onClose={() => setDraftToSchedule(null)}
          />
        </Suspense>
      )}
      {alertToConfirm && (
        <BroadcastDialog
          title="Send a critical alert"
          alert={alertToConfirm}
          submitLabels={{ send: 'Create and broadcast', sending: 'Creating…' }}
          isSending={isSubmitting}
          onConfirm={handleSubmit(createAlert)}
          onClose={() => setAlertToConfirm(null)}
        />
      )}
    </Panel>
  )
}

function describeCreatedAlert(wasBroadcast: boolean): string {
  return wasBroadcast
    ? 'New market alert has been created and broadcasted.'
    : 'New market alert has been created. It was not broadcast.'
}

function toastInvalid(): void {
  toast({ title: 'Validation Error', description: 'Please fill in all required fields.', variant: 'destructive' })
}

/** All alerts, newest first. */
function AlertHistory() {
  const { search, priority, go } = useAdminSearchParams()
  const { data: stats } = useQuery({ ...adminQueries.stats, enabled: useAllowed('settings.read') })
  const isPhone = useIsPhone()
  const selection = { search, priority }
  return (
    <Panel
      title="Alert History"
      detail={stats && formatCount(stats.totalAlerts)}
      actions={isPhone ? undefined : <Filters />}
      footer={<Foot selection={selection} />}
      flush
    >
      {isPhone && (
        <div className="grid grid-cols-2 gap-2 max-[374px]:grid-cols-1 border-b border-line-1 px-4 py-3">
          <Filters />
        </div>
      )}
      <History selection={selection} onClear={() => go.refine({ search: '', priority: undefined })} />
    </Panel>
  )
}

function Filters() {
  const { search, priority, go } = useAdminSearchParams()
  const setSearch = useCallback((next: string) => go.refine({ search: next }), [go])
  return (
    <>
      <SelectField
        hideLabel
        label="Filter by priority"
        size="sm"
        value={priority ?? ''}
        onChange={({ target }) => go.refine({ priority: priorities.find((one) => one === target.value) })}
        className="md:w-36"
      >
        <PriorityOptions />
      </SelectField>
      <SearchField label="Search alerts" placeholder="Search" value={search} onSearch={setSearch} className="md:w-54" />
    </>
  )
}

function PriorityOptions() {
  return (
    <>
      <option value="">All priorities</option>
      {[...priorities].reverse().map((priority) => (
        <option key={priority} value={priority}>
          {priorityStyles[priority].word}
        </option>
      ))}
    </>
  )
}

function History({ selection, onClear }: { selection: AlertSelection; onClear: () => void }) {
  const query = useInfiniteQuery(adminQueries.alerts(selection))
  const alerts = query.data?.pages.flatMap(({ items }) => items) ?? []
  const hasFilter = selection.search !== '' || selection.priority !== undefined
  return (
    <QueryRows
      query={query}
      loading={{ label: 'Loading alerts', rows: 5 }}
      failed="Failed to fetch alerts"
      empty={<NoAlerts isSelected={hasFilter} onClear={onClear} />}
    >
      {alerts.length > 0 && (
        <ScrollArea isBusy={query.isPlaceholderData}>
          <ul>
            {alerts.map((alert) => (
              <HistoryRow key={alert.id} alert={alert} />
            ))}
          </ul>
        </ScrollArea>
      )}
    </QueryRows>
  )
}

function NoAlerts({ isSelected, onClear }: { isSelected: boolean; onClear: () => void }) {
  return isSelected ? (
    <EmptyState title="No alerts match" action={<Button onClick={onClear}>Clear search and filter</Button>}>
      Search for fewer words or choose all priorities.
    </EmptyState>
  ) : (
    <EmptyState title="No alerts generated yet">Created alerts and feed signals appear here.</EmptyState>
  )
}

function Foot({ selection }: { selection: AlertSelection }) {
  const query = useInfiniteQuery(adminQueries.alerts(selection))
  const { data } = query
  const shownCount = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0
  const matchingCount = data?.pages.at(-1)?.matching ?? 0
  return (
    <LoadMore query={query}>
      {shownCount > 0 &&
        `Showing ${formatCount(shownCount)} of ${formatMatches(Math.max(matchingCount, shownCount), selection.search)}, newest first. `}
      <span className="phone:hidden">Broadcasting an alert again does not show it twice to users.</span>
    </LoadMore>
  )
}

/**
 * The scroll area of the list. On wide screens, its maximum height is the rest of the window, but
 * at least 24rem. On narrow screens, where the list is below the form, it is 24rem. The area needs
 * no `tabIndex`: keyboard focus moves through the buttons in the rows and scrolls the list. The
 * area is `relative`, so that absolutely positioned screen-reader text scrolls with it and does not
 * extend the page.
 */
function ScrollArea({ isBusy, children }: { isBusy: boolean; children: ReactNode }) {
  return (
    <section
      aria-label="Alerts, newest first"
      aria-busy={isBusy}
      className="relative max-h-96 lg:max-h-[max(24rem,100dvh-15.75rem)] overflow-y-auto overscroll-contain"
    >
      {children}
    </section>
  )
}
