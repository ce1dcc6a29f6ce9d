import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { AdminUser } from '@tocsin/protocol'
import { useCallback, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { adminQueries, type UserSelection } from './admin-queries.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { FetchedRows } from './fetched-rows.tsx'
import { useAdminPlace } from './use-admin-place.ts'
import { UserListHead, UserRow, type UserRowActions } from './user-row.tsx'

type Asked = { what: 'extend' | 'cancel'; user: AdminUser }

export function UserList({ selection, onClear }: { selection: UserSelection; onClear: () => void }) {
  const query = useInfiniteQuery(adminQueries.users(selection))
  const { data: counts } = useQuery(adminQueries.userCounts(selection))
  const { data, isPlaceholderData } = query
  const [asked, setAsked] = useState<Asked>()
  const { go } = useAdminPlace()
  const open = useCallback((user: AdminUser) => go.show(user.id), [go])
  const extend = useCallback((user: AdminUser) => setAsked({ what: 'extend', user }), [])
  const cancel = useCallback((user: AdminUser) => setAsked({ what: 'cancel', user }), [])
  const users = data?.pages.flat() ?? []

  return (
    <Panel
      flush
      footer={
        users.length === 0 ? undefined : (
          <LoadMore query={query}>
            {`Showing ${users.length.toLocaleString(numberLocale)}`}
            {counts && ` of ${Math.max(counts.matching, users.length).toLocaleString(numberLocale)}`}
          </LoadMore>
        )
      }
    >
      <FetchedRows
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
          <Rows users={users} isBusy={isPlaceholderData} onOpen={open} onExtend={extend} onCancel={cancel} />
        )}
      </FetchedRows>
      {asked?.what === 'extend' && <ExtendDialog user={asked.user} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'cancel' && <CancelDialog user={asked.user} onClose={() => setAsked(undefined)} />}
    </Panel>
  )
}

type RowsProps = UserRowActions & { users: AdminUser[]; isBusy: boolean }

function Rows({ users, isBusy, ...actions }: RowsProps) {
  return (
    <table aria-label="Users, newest first" aria-busy={isBusy} className="block w-full">
      <UserListHead />
      <tbody className="block">
        {users.map((user) => (
          <UserRow key={user.id} user={user} {...actions} />
        ))}
      </tbody>
    </table>
  )
}
