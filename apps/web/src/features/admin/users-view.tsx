import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type AdminUser, type UserFilter, userFilters } from '@tocsin/protocol'
import { useCallback, useState } from 'react'
import { call } from '../../api/api.ts'
import { Dot } from '../../shell/status.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveCsv } from '../../ui/save-file.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { adminQueries, omitEmptyValues, type UserListing, type UserSelection } from './admin-queries.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { ExportButton } from './export-button.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { formatMatches } from './format-matches.ts'
import { QueryRows } from './query-rows.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { UserRow, type UserRowActions } from './user-row.tsx'
import { SortSelect, sortLabels, UserListHeader } from './user-sort.tsx'

const filterLabels: Record<UserFilter, string> = {
  all: 'All users',
  active: 'Active subscription',
  expired: 'Expired',
  none: 'Never subscribed',
  admin: 'Admins',
  suspended: 'Suspended',
  ending: 'Ends within 24 hours',
  left: 'Left within 7 days',
}

/** All accounts, with totals and filters. */
export function UsersView() {
  const { search, filter, sort, go } = useAdminSearchParams()
  const selection = { search, filter }
  const setSearch = useCallback((next: string) => go.refine({ search: next }), [go])
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Totals selection={selection} />
        <div className="ml-auto flex flex-wrap items-center gap-2 max-lg:ml-0 max-lg:w-full">
          <SelectField
            hideLabel
            label="Filter users"
            size="sm"
            value={filter}
            onChange={({ target }) => go.refine({ filter: userFilters.find((one) => one === target.value) ?? 'all' })}
            className="w-48 phone:min-w-0 phone:flex-1"
          >
            {userFilters.map((one) => (
              <option key={one} value={one}>
                {filterLabels[one]}
              </option>
            ))}
          </SelectField>
          <SortSelect sort={sort} onSort={(next) => go.refine({ sort: next })} className="lg:hidden" />
          <ExportButton
            load={() => call('exportUsers', { query: omitEmptyValues(selection) })}
            save={(csv) => saveCsv('tocsin-users', csv)}
            what="users"
            title="The filtered users as CSV"
          />
          <SearchField
            label="Search users"
            placeholder="Name, email or wallet"
            value={search}
            onSearch={setSearch}
            className="w-76 max-lg:min-w-60 max-lg:flex-1"
          />
        </div>
      </div>
      <UserList selection={{ ...selection, sort }} onClear={() => go.refine({ search: '', filter: 'all' })} />
    </>
  )
}

function Totals({ selection }: { selection: UserSelection }) {
  const { data } = useQuery(adminQueries.userCounts(selection))
  return (
    <>
      <Total label="Total users" count={data?.total} />
      <Total label="Active subscriptions" count={data?.active} isOk />
    </>
  )
}

function Total({ label, count, isOk = false }: { label: string; count: number | undefined; isOk?: boolean }) {
  return (
    <span className="inline-flex h-7 items-center gap-2 rounded-control border border-line-2 px-3 text-hint font-medium whitespace-nowrap">
      {isOk && <Dot className="bg-ok" />}
      {label}
      <span className="min-w-4 text-data font-medium">{count === undefined ? '…' : formatCount(count)}</span>
    </span>
  )
}

type OpenDialog = { what: 'extend' | 'cancel'; user: AdminUser }

function UserList({ selection, onClear }: { selection: UserListing; onClear: () => void }) {
  const query = useInfiniteQuery(adminQueries.users(selection))
  const { search, filter, sort } = selection
  const { data: counts } = useQuery(adminQueries.userCounts({ search, filter }))
  const { data, isPlaceholderData } = query
  const [openDialog, setOpenDialog] = useState<OpenDialog>()
  const { go } = useAdminSearchParams()
  const openUser = useCallback((user: AdminUser) => go.show(user.id), [go])
  const extend = useCallback((user: AdminUser) => setOpenDialog({ what: 'extend', user }), [])
  const cancel = useCallback((user: AdminUser) => setOpenDialog({ what: 'cancel', user }), [])
  const users = data?.pages.flat() ?? []

  return (
    <Panel
      flush
      footer={
        users.length === 0 ? undefined : (
          <LoadMore query={query}>
            {`Showing ${formatCount(users.length)}`}
            {counts && ` of ${formatMatches(Math.max(counts.matching, users.length), search)}`}
          </LoadMore>
        )
      }
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading users', rows: 8 }}
        failed="Failed to fetch users"
        empty={
          <EmptyState title="No users match" action={<Button onClick={onClear}>Clear search and filter</Button>}>
            Search for part of a name, an email address, a wallet or an id.
          </EmptyState>
        }
      >
        {users.length > 0 && (
          <Rows
            users={users}
            sort={sort}
            isBusy={isPlaceholderData}
            onOpen={openUser}
            onExtend={extend}
            onCancel={cancel}
          />
        )}
      </QueryRows>
      {openDialog?.what === 'extend' && (
        <ExtendDialog user={openDialog.user} onClose={() => setOpenDialog(undefined)} />
      )}
      {openDialog?.what === 'cancel' && (
        <CancelDialog user={openDialog.user} onClose={() => setOpenDialog(undefined)} />
      )}
    </Panel>
  )
}

type RowsProps = UserRowActions & { users: AdminUser[]; sort: UserListing['sort']; isBusy: boolean }

function Rows({ users, sort, isBusy, ...actions }: RowsProps) {
  const { go } = useAdminSearchParams()
  return (
    <table aria-label={`Users, ${sortLabels[sort]}`} aria-busy={isBusy} className="block w-full">
      <UserListHeader sort={sort} onSort={(next) => go.refine({ sort: next })} />
      <tbody className="block">
        {users.map((user) => (
          <UserRow key={user.id} user={user} {...actions} />
        ))}
      </tbody>
    </table>
  )
}
