import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { adminQueries } from './admin-queries.ts'
import { useAllowed } from './allowed.tsx'
import { type Attention, listAttention } from './business-texts.ts'
import { FigureRow } from './figure-row.tsx'
import { QueryRows } from './query-rows.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'

/** Lists the problems that the operator has to act on now. */
export function AttentionPanel() {
  const query = useQuery(adminQueries.system)
  const { data: customers } = useQuery(adminQueries.customers)
  const { data: status } = useQuery(queries.status)
  const { data: supportMessages } = useInfiniteQuery({
    ...adminQueries.letters({ state: 'open', search: '' }),
    enabled: useAllowed('letters.read'),
  })
  const maySeeSettings = useAllowed('settings.read')
  const { data: channels } = useQuery({ ...adminQueries.channels, enabled: maySeeSettings })
  const { data: protectedSettings } = useQuery({ ...adminQueries.protected, enabled: maySeeSettings })
  const style = useTimeStyle()
  const items = query.data
    ? listAttention(
        query.data,
        { letters: supportMessages?.pages[0], channels, changes: protectedSettings?.changes },
        style,
      )
    : []
  return (
    <Panel
      title="Needs attention"
      detail={items.length > 0 ? items.length : undefined}
      flush
      footer={
        <FigureRow
          figures={[
            { label: 'Active plans', value: formatOptionalCount(customers?.activePlans) },
            { label: 'Connected now', value: formatOptionalCount(status?.stream.connected) },
            { label: 'Anchors funded', value: formatOptionalCount(query.data?.anchor.anchorsLeft) },
          ]}
        />
      }
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading the items that need attention', rows: 3 }}
        failed="Failed to fetch the state of the system"
        empty={
          <EmptyState isCompact title="Nothing needs attention">
            Unmatched payments, open support messages, changes that wait for a second admin, failing destinations,
            suspected takeovers and faults of payments, anchoring and feed appear here.
          </EmptyState>
        }
      >
        {items.length > 0 && (
          <ul aria-label="Needs attention" className="divide-y divide-line-1">
            {items.map((item, index) => (
              <AttentionRow key={item.key} item={item} isFirst={index === 0} />
            ))}
          </ul>
        )}
      </QueryRows>
    </Panel>
  )
}

const formatOptionalCount = (count: number | null | undefined) => (count == null ? '—' : formatCount(count))

function AttentionRow({ item, isFirst }: { item: Attention; isFirst: boolean }) {
  const { go } = useAdminSearchParams()
  const { title, detail, isSevere, tab, view, user } = item
  return (
    <li
      className={classNames(
        'flex min-h-13 items-center gap-4 border-l-2 px-5 py-2 text-base phone:px-4',
        isFirst && isSevere ? 'border-l-medium' : 'border-l-transparent',
      )}
    >
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{title}</span>
        <span className="block text-hint text-2 wrap-anywhere">{detail}</span>
      </span>
      <Button
        size="sm"
        variant={isFirst ? 'primary' : 'secondary'}
        aria-label={`Open: ${title}`}
        onClick={() => go.open({ tab, view, user })}
      >
        {view === 'payments' ? 'Resolve' : 'Open'}
      </Button>
    </li>
  )
}
