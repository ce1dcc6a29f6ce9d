import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sentenceOf } from '../../api.ts'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { ActivityTable } from './activity-table.tsx'

/** Everything that the account's log holds, newest first. */
export function HistoryPage() {
  const { data } = useQuery(queries.activity)
  return (
    <>
      <h1 className="text-h1">History</h1>
      <p className="mt-1 mb-6 text-body text-2">What happened on your account. Nobody else sees it.</p>
      <Panel title="Activity" detail={data && data.length > 0 ? counted(data.length) : undefined} flush>
        <ActivityLog />
      </Panel>
    </>
  )
}

function ActivityLog() {
  const { data, error, isFetching, refetch } = useQuery({ ...queries.activity, refetchOnMount: 'always' })
  if (data && data.length > 0) return <ActivityTable rows={data} />
  if (data) {
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
  if (!error) return <SkeletonRows rows={6} label="Loading activity" />
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 p-5 text-base phone:p-4">
      {sentenceOf(error, 'Failed to fetch the activity')}
      <Button busy={isFetching} onClick={() => refetch()}>
        {isFetching ? 'Trying…' : 'Try again'}
      </Button>
    </div>
  )
}

function counted(lines: number): string {
  return `${lines.toLocaleString('en-US')} ${lines === 1 ? 'entry' : 'entries'}`
}
