import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../../ui/dialog.tsx'
import { adminQueries } from './admin-queries.ts'
import { formatLogNumber } from './alert-number.ts'
import { reachDefinitions } from './business-definitions.ts'
import { useDefinitions } from './definitions.tsx'
import { QueryRows } from './query-rows.tsx'
import { AlertName, NoAlert, Reach, reachTexts } from './reach-view.tsx'

/** Dialog that shows who received one alert. */
export function AlertReachDialog({ logIndex, onClose }: { logIndex: number; onClose: () => void }) {
  const query = useQuery(adminQueries.reach(logIndex))
  const { button, shown } = useDefinitions({ of: 'reach', list: reachDefinitions })
  const { data } = query
  return (
    <Dialog
      onOpenChange={onClose}
      size="lg"
      title={`Reach of ${formatLogNumber(logIndex)}`}
      description={data?.alert && <AlertName alert={data.alert} />}
      aside={button}
    >
      <div className="-m-5 phone:-m-4">
        {shown}
        <QueryRows query={query} {...reachTexts}>
          {data && (data.alert === null ? <NoAlert /> : <Reach data={data} />)}
        </QueryRows>
      </div>
    </Dialog>
  )
}
