import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { useLogChange } from '../../stream/use-log-change.ts'
import { Button } from '../../ui/button.tsx'
import { useTrust } from '../proof/use-trust.ts'
import { SitePage } from '../site/site-page.tsx'
import { AnchorRail } from './anchor-rail.tsx'
import { AnchorTable } from './anchor-table.tsx'
import { CheckpointPanel } from './checkpoint-panel.tsx'
import { KeyTable } from './key-table.tsx'
import { logQueries } from './log-queries.ts'
import { LogSizes } from './log-sizes.tsx'
import { LogState } from './log-state.tsx'
import { SelfCheck } from './self-check.tsx'
import { WaysToVerify } from './ways-to-verify.tsx'

/** Public statistics of the log, its anchors and keys, and ways to verify them. */
export function TransparencyPage() {
  const { data: config } = useQuery(queries.config)
  const client = useQueryClient()
  const head = useQuery(queries.logHead)
  const stats = useQuery(logQueries.stats)
  const readAgain = useCallback(() => {
    for (const { queryKey } of [logQueries.stats, logQueries.checkpoint]) void client.invalidateQueries({ queryKey })
  }, [client])
  useLogChange(readAgain)
  const choice = useTrust(config)
  return (
    <SitePage
      kind="Transparency"
      title="One log, the same for everybody"
      lead="Every alert, correction, retraction and key is an entry. What is added can never be changed or taken out again without it showing. Here is how to see for yourself."
    >
      <LogState
        stats={stats.data}
        isUnreachable={stats.isError || head.isError}
        updatedAt={stats.data ? Math.max(stats.dataUpdatedAt, head.dataUpdatedAt) : 0}
      />
      {stats.isLoadingError ? (
        <div
          role="alert"
          className="mt-8 flex flex-wrap items-center gap-4 border border-line-1 bg-ink-1 p-6 phone:p-4"
        >
          <p className="text-body">The log can’t be read right now. What is anchored stays on the chain.</p>
          <Button onClick={() => void stats.refetch()}>Try again</Button>
        </div>
      ) : (
        <>
          <LogSizes stats={stats.data} />
          <AnchorRail stats={stats.data} config={config} />
        </>
      )}
      <div className="mt-4 grid gap-4 lg:grid-cols-2">
        <CheckpointPanel />
        <SelfCheck config={config} choice={choice} />
      </div>
      {!stats.isLoadingError && (
        <div className="mt-4 grid gap-4">
          <AnchorTable stats={stats.data} config={config} />
          <KeyTable stats={stats.data} />
        </div>
      )}
      {config && <WaysToVerify config={config} />}
    </SitePage>
  )
}
