import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ArrowUp, CheckCheck, Lock, Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useUser } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import { CountBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { usePurchase } from '../subscription/purchase-provider.tsx'
import { type AlertFilter, countUnread, filterAlerts, noFilter, type UserAlert } from './alert-filter.ts'
import { AlertList } from './alert-list.tsx'
import { isLocked } from './alert-words.ts'
import { FilterBar } from './filter-bar.tsx'
import { useHeldList } from './held-list.ts'
import { useMarkRead } from './use-mark-read.ts'

const noAlerts: UserAlert[] = []
const searchSchema = z.object({ alert: z.string().optional().catch(undefined) })

export function NotificationsPage() {
  const { id: userId } = useUser()
  const { alert: linkedId = null } = searchSchema.parse(useSearch({ strict: false }))
  const { data = noAlerts, isPending, isLoadingError, refetch } = useQuery(queries.userAlerts(userId))
  const recent = useQuery(queries.recentAlerts)
  const [filter, setFilter] = useState<AlertFilter>(noFilter)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const list = useHeldList(data)
  const { mutate: markRead } = useMarkRead(userId)
  const unread = data.filter(({ isRead }) => !isRead).map(({ alert }) => alert.id)

  function handleRead(id: string) {
    list.hold()
    setOpened((before) => new Set(before).add(id))
    if (unread.includes(id)) markRead([id])
  }

  function handleFilter(next: AlertFilter) {
    setFilter(next)
    setOpened(new Set())
  }

  return (
    <div className="mx-auto max-w-[1440px]">
      <header className="flex flex-wrap items-center gap-3">
        <h1 className="text-h1">Notifications</h1>
        <CountBadge count={countUnread(data)} className="h-6 min-w-6" />
        {unread.length > 0 && <span className="text-body text-2 phone:sr-only">unread</span>}
        <div className="ml-auto flex gap-2">
          <Button variant="ghost" aria-pressed={list.isHeld} onClick={list.isHeld ? list.release : list.hold}>
            {list.isHeld ? <Play aria-hidden size={16} /> : <Pause aria-hidden size={16} />}
            <span className="phone:sr-only">{list.isHeld ? 'Resume' : 'Pause'}</span>
          </Button>
          <Button disabled={unread.length === 0} onClick={() => markRead(unread)}>
            <CheckCheck aria-hidden size={16} strokeWidth={2.25} />
            <span className="phone:sr-only">Mark all read</span>
          </Button>
        </div>
      </header>
      <FilterBar filter={filter} onChange={handleFilter} alerts={data} />
      <AlertList
        alerts={filterAlerts(list.shown, filter, opened)}
        total={data.length}
        state={isPending || recent.isPending ? 'pending' : isLoadingError ? 'failed' : 'read'}
        linkedId={linkedId}
        onRead={handleRead}
        onRetry={() => void refetch()}
        onClearFilter={() => handleFilter(noFilter)}
        notice={<LockedNotice count={recent.data?.filter(isLocked).length ?? 0} />}
        pill={<NewPill waiting={list.waiting} onClick={list.release} />}
      />
    </div>
  )
}

function NewPill({ waiting, onClick }: { waiting: number; onClick: () => void }) {
  if (waiting === 0) return null
  return (
    <Button size="sm" variant="primary" onClick={onClick}>
      <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
      {waiting} new
    </Button>
  )
}

/** Without a plan fresh alerts are only known to exist. */
function LockedNotice({ count }: { count: number }) {
  const { open } = usePurchase()
  if (count === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-3 border-b border-line-1 bg-ink-2 py-2.5 pr-5 pl-4.5 phone:px-4">
      <Lock aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-2" />
      <p className="min-w-60 flex-1 text-base">
        Alerts of the last hours are for subscribers. The public ones are listed below.
      </p>
      <Button variant="primary" onClick={() => open()}>
        Subscribe
      </Button>
    </div>
  )
}
