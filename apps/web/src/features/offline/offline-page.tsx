import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { defaultPreferences, type ListedAlert } from '@tocsin/protocol'
import { CloudOff } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { paths } from '../../paths.ts'
import { readOfflineAlerts } from '../../session/offline-alerts.ts'
import { readTimeHint } from '../../session/signed-in-hint.ts'
import { useAppearance } from '../../session/use-appearance.ts'
import { AppShell } from '../../shell/app-shell.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { readAlertSearchParams } from '../alert/alert-search-params.ts'
import { AlertList } from '../alerts/alert-list.tsx'
import { maxOfflineAlerts, parseOfflineAlerts } from './offline-list.ts'
import { getOfflineTitle, getReason } from './offline-reasons.ts'

/** A signed-in page that is opened without a network while the session is unknown. */
export function OfflineApp() {
  // The preferences of the account cannot be loaded, so use the stored time zone and the default
  // values.
  useAppearance({ ...defaultPreferences, ...readTimeHint() })
  return (
    <AppShell
      live={<span className="font-medium">Offline</span>}
      tools={null}
      wallet={null}
      subscribe={null}
      welcome={null}
      logStatus={null}
      walletStatus={null}
    >
      <OfflinePage />
    </AppShell>
  )
}

/** The content of a page that was opened without a network. */
export function OfflinePage() {
  const { pathname, search } = useLocation()
  const hasAlerts = pathname === paths.dashboard || pathname === paths.notifications
  const linkedId = readAlertSearchParams(search).alert ?? null
  return (
    <div className="mx-auto max-w-[1440px]">
      <h1 className="text-h1">{getOfflineTitle(pathname)}</h1>
      {hasAlerts ? (
        <OfflineAlertList key={linkedId} linked={linkedId} />
      ) : (
        <Panel title="Offline" className="mt-4">
          <p className="flex items-start gap-3 text-body">
            <CloudOff aria-hidden size={20} strokeWidth={2.25} className="mt-0.5 shrink-0 text-2" />
            {getReason(pathname)}
          </p>
        </Panel>
      )}
    </div>
  )
}

const offlineAlertsQuery = {
  queryKey: ['offline-alerts'],
  networkMode: 'always',
  gcTime: 0,
  queryFn: async () => {
    const storedAlerts = await readOfflineAlerts()
    const alerts = storedAlerts && parseOfflineAlerts(storedAlerts.alerts)
    return storedAlerts && alerts && alerts.length > 0
      ? { alerts, asOf: new Date(storedAlerts.asOfMs).toISOString() }
      : null
  },
} as const

/** @param linked id of the alert that the URL opens */
function OfflineAlertList({ linked }: { linked: string | null }) {
  const { data, isPending, refetch } = useQuery(offlineAlertsQuery)
  const list = useRef<HTMLElement>(null)
  const [openId, setOpenId] = useState(linked)
  const toggle = useCallback(
    (entry: ListedAlert) => setOpenId((current) => (current === entry.id ? null : entry.id)),
    [],
  )
  if (isPending) return <Skeleton className="mt-4 h-40" />
  if (!data) {
    return (
      <Panel title="Alerts" className="mt-4" flush>
        <EmptyState title="No alerts are stored in this browser">
          {`The newest ${maxOfflineAlerts} alerts that you can read are stored while you are signed in. They are deleted when you log out.`}
        </EmptyState>
      </Panel>
    )
  }
  return (
    <>
      <p role="status" className="mt-2 flex flex-wrap items-center gap-x-2 text-body text-2">
        <CloudOff aria-hidden size={16} strokeWidth={2.25} />
        <span>
          As of <Time at={data.asOf} show="exact" /> <ZoneName />, <Time at={data.asOf} show="relative" />, offline
        </span>
      </p>
      <AlertList
        list={list}
        entries={data.alerts}
        state="read"
        isBusy={false}
        filter="none"
        count={`${data.alerts.length} stored`}
        listKey={undefined}
        total={data.alerts.length}
        isMoreComing={false}
        openId={openId}
        targetId={linked}
        leadingContent={null}
        newAlertsButton={null}
        footer={null}
        onToggle={toggle}
        onNearEnd={() => {}}
        onRetry={() => void refetch()}
        onClear={() => {}}
      />
    </>
  )
}
