import { type InfiniteData, infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type Activity, type ActivityGroup, activityGroupNames } from '@tocsin/protocol'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { z } from 'zod'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { importOrThrow } from '../../browser/load-page.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { formatCountOf } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { groupLabels } from './activity-styles.ts'
import { ActivityDays } from './activity-table.tsx'

const PaymentHistory = lazy(async () => ({
  default: (await importOrThrow(() => import('../subscription/payment-history.tsx'))).PaymentHistory,
}))

const historySearchSchema = z.object({ tab: z.enum(['activity', 'payments']).catch('activity') })

/** Page with the activity and the payments of the account. */
export function HistoryPage() {
  const { tab } = historySearchSchema.parse(useSearch({ strict: false }))
  const navigate = useNavigate()
  return (
    <>
      <h1 className="text-h1">History</h1>
      <p className="mt-1 mb-2 text-body text-2">The activity of your account. It is visible only to you.</p>
      <Tabs
        label="History"
        value={tab}
        onChange={(value) =>
          void navigate({ to: paths.history, search: value === 'activity' ? {} : { tab: value }, replace: true })
        }
        tabs={[
          { value: 'activity', label: 'Activity', panel: <ActivityLog /> },
          {
            value: 'payments',
            label: 'Payments',
            panel: (
              <Suspense>
                <PaymentHistory />
              </Suspense>
            ),
          },
        ]}
        panelClassName="mt-6"
      />
    </>
  )
}

const pageSize = 50
/** Distance between the viewport and the end of the list at which the next page is requested. */
const prefetchMargin = '600px'

const groupSearchSchema = z.object({ group: z.enum(activityGroupNames).optional().catch(undefined) })
const [activityKey] = queries.activity.queryKey
/** Page parameter of the first page, which has no cursor. */
const firstCursor = ''

const createActivityQuery = (group: ActivityGroup | undefined) =>
  infiniteQueryOptions({
    // Starts with the query key of the newest entries. Invalidating that key also invalidates the
    // pages.
    queryKey: [activityKey, 'pages', group],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(group && { group }),
        ...(pageParam === firstCursor ? {} : { cursor: pageParam }),
        limit: pageSize,
      }
      return call('listActivity', { query, signal })
    },
    initialPageParam: firstCursor,
    getNextPageParam: (lastPage: Activity[]) => (lastPage.length === pageSize ? lastPage.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  })

/** The complete activity of the account, newest first, with infinite scrolling. */
function ActivityLog() {
  const { group } = groupSearchSchema.parse(useSearch({ strict: false }))
  const router = useRouter()
  const query = useInfiniteQuery(createActivityQuery(group))
  const rows = query.data?.pages.flat()
  const selectGroup = (next: ActivityGroup | undefined) =>
    void router.navigate({ to: paths.history, search: next ? { group: next } : {}, resetScroll: false })
  return (
    <>
      <fieldset className="-mx-4 mb-4 flex min-w-0 gap-2 overflow-x-auto px-4 py-1 md:mx-0 md:flex-wrap md:px-0">
        <legend className="sr-only">Filter activity</legend>
        <Chip pressed={group === undefined} onClick={() => selectGroup(undefined)}>
          All
        </Chip>
        {activityGroupNames.map((name) => (
          <Chip key={name} pressed={group === name} onClick={() => selectGroup(group === name ? undefined : name)}>
            {groupLabels[name]}
          </Chip>
        ))}
      </fieldset>
      <Panel
        title="Activity"
        flush
        footer={rows && rows.length > 0 ? <Foot query={query} shown={rows.length} /> : undefined}
      >
        {rows ? (
          <Rows rows={rows} isFiltered={group !== undefined} onClear={() => selectGroup(undefined)} />
        ) : query.error ? (
          <div role="alert" className="flex flex-wrap items-center gap-3 p-5 text-base phone:p-4">
            {getErrorMessage(query.error, 'Failed to fetch the activity')}
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              {query.isFetching ? 'Trying…' : 'Try again'}
            </Button>
          </div>
        ) : (
          <SkeletonRows rows={6} label="Loading activity" />
        )}
      </Panel>
    </>
  )
}

function Rows({ rows, isFiltered, onClear }: { rows: Activity[]; isFiltered: boolean; onClear: () => void }) {
  if (rows.length > 0) return <ActivityDays rows={rows} />
  if (isFiltered) {
    return (
      <EmptyState title="No activity in this category" action={<Button onClick={onClear}>Show all activity</Button>}>
        Other activity in your account is under All.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="No activity yet"
      action={
        <Button asChild>
          <Link to={paths.dashboard}>Go to the dashboard</Link>
        </Button>
      }
    >
      Sign-ins, payments and verified alerts will be listed here.
    </EmptyState>
  )
}

type FootProps = {
  query: ReturnType<typeof useInfiniteQuery<Activity[], Error, InfiniteData<Activity[]>>>
  shown: number
}

function Foot({ query, shown }: FootProps) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const endRef = useRef<HTMLSpanElement>(null)
  const isReady = hasNextPage && !isFetching && !isFetchNextPageError
  useEffect(() => {
    const element = endRef.current
    if (!element || !isReady) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage()
      },
      { rootMargin: prefetchMargin },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isReady, fetchNextPage])
  return (
    <LoadMore query={query}>
      <span ref={endRef}>{hasNextPage ? `${formatEntries(shown)} so far` : `${formatEntries(shown)}, all loaded`}</span>
    </LoadMore>
  )
}

function formatEntries(count: number): string {
  return formatCountOf(count, 'entry', 'entries')
}
