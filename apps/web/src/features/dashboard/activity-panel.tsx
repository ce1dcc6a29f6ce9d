import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ReadFailure } from '../../ui/read-failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { ActivityTable } from '../account/activity-table.tsx'

const shownRows = 3

/** The last three activities of this account. */
export function ActivityPanel() {
  const activity = useQuery(queries.activity)
  const viewAll = (
    <Button size="sm" variant="ghost" asChild className="-mr-2">
      <Link to={paths.history}>View all</Link>
    </Button>
  )
  return (
    <Panel title="Recent activity" right={viewAll} flush>
      {activity.isPending ? (
        <SkeletonRows rows={shownRows} label="Loading activity" />
      ) : activity.isError ? (
        <ReadFailure onRetry={() => void activity.refetch()}>The activity could not be loaded.</ReadFailure>
      ) : activity.data.length === 0 ? (
        <EmptyState title="No activity yet">Sign-ins, payments and verified alerts will appear here.</EmptyState>
      ) : (
        <ActivityTable rows={activity.data.slice(0, shownRows)} />
      )}
    </Panel>
  )
}
