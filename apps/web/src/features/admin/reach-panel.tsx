import { useQuery } from '@tanstack/react-query'
import { adminQueries } from './admin-queries.ts'
import { reachDefinitions } from './business-definitions.ts'
import { DefinedPanel } from './definitions.tsx'
import { QueryRows } from './query-rows.tsx'
import { AlertName, NoAlert, Reach, reachTexts } from './reach-view.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'

/** Shows who received the newest critical alert, or else the newest alert. */
export function ReachPanel() {
  const query = useQuery(adminQueries.reach())
  const { go } = useAdminSearchParams()
  const { data } = query
  return (
    <DefinedPanel
      title="Reach"
      defined={{ of: 'reach', list: reachDefinitions }}
      detail={data?.alert && <AlertName alert={data.alert} />}
      actions={
        <button
          type="button"
          className="link touch-target whitespace-nowrap"
          onClick={() => go.open({ tab: 'alerts' })}
        >
          All alerts
        </button>
      }
    >
      <QueryRows query={query} {...reachTexts}>
        {data && (data.alert === null ? <NoAlert /> : <Reach data={data} />)}
      </QueryRows>
    </DefinedPanel>
  )
}
