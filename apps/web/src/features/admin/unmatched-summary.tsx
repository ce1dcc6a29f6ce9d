import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { CountBadge } from '../../ui/badge.tsx'
import { adminQueries } from './admin-queries.ts'
import { omitDefaults } from './admin-search-params.ts'
import { UnmatchedList } from './unmatched-list.tsx'

/** Lists the open unmatched payments on the dashboard of the admin area. */
export function UnmatchedSummary() {
  return (
    <UnmatchedList
      state="open"
      right={
        <>
          <OpenCount />
          <Link
            to={paths.admin}
            search={omitDefaults({ tab: 'users', view: 'payments' })}
            className="link touch-target text-base"
          >
            All payments
          </Link>
        </>
      }
    />
  )
}

export function OpenCount() {
  const { data } = useInfiniteQuery(adminQueries.unmatched('open'))
  return <CountBadge count={data?.pages.at(-1)?.openCount ?? 0} label="open" />
}
