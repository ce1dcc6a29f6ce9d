import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { dashboardTexts } from '../../texts/dashboard.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { ActivityTable } from '../account/activity-table.tsx'
import { ReadFailure } from '../alerts/read-failure.tsx'

const texts = dashboardTexts.activityPanel

const shownRows = 3

/** The last three things that happened to this account. */
export function ActivityPanel() {
  const activity = useQuery(queries.activity)
  const viewAll = (
    <Button size="sm" variant="ghost" asChild className="-mr-2">
      <Link to={paths.history}>{texts.viewAll}</Link>
    </Button>
  )
  return (
    <Panel title={texts.recentActivity} right={viewAll} flush>
      {activity.isPending ? (
        <SkeletonRows rows={shownRows} label={texts.loadingActivity} />
      ) : activity.isError ? (
        <ReadFailure onRetry={() => void activity.refetch()}>{texts.activityCouldNotBeRead}</ReadFailure>
      ) : activity.data.length === 0 ? (
        <EmptyState title={texts.noActivityYet}>{texts.signInsPaymentsAndChecks}</EmptyState>
      ) : (
        <ActivityTable rows={activity.data.slice(0, shownRows)} />
      )}
    </Panel>
  )
}
