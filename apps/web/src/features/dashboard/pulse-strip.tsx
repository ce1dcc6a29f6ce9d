import { useQuery } from '@tanstack/react-query'
import type { ReadableAlert } from '@tocsin/protocol'
import { memo, useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { browserStorage } from '../../browser/browser-storage.ts'
import { useUser } from '../../session/auth.tsx'
import { usePreferences } from '../../session/preferences.ts'
import { PulseFrame } from '../../shell/app-shell.tsx'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { type PulseSpan, pulseSpans } from '../../ui/identity/pulse-layout.ts'
import { PulseLine } from '../../ui/identity/pulse-line.tsx'
import { useNow } from '../../ui/now.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { useWalletField } from '../../wallet/use-wallet-state.ts'
import { useAlertOpener } from '../alert/alert-link.tsx'
import { useIsEntitled } from '../subscription/use-subscription.ts'
import { selectPulseAlerts } from './pulse.ts'

const stepMs = 15_000
const recentLimit = 100
const storageKey = 'pulseSpan'
const spanOptions: { value: PulseSpan; label: string }[] = [
  { value: '1h', label: '1 h' },
  { value: '6h', label: '6 h' },
  { value: '24h', label: '24 h' },
]

type PulseStripProps = {
  selectedId?: string | null
  /**
   * False while the list is loading, because on a slow network the requests of the strip would
   * delay the list.
   */
  isReady?: boolean
  /**
   * Alerts that the page has loaded, newest first. If they do not cover the time span of the strip,
   * the strip requests the user's alerts.
   */
  listedAlerts?: readonly ReadableAlert[]
}

const noAlerts: readonly ReadableAlert[] = []

/** Timeline of alerts in the selected time span, including locked ones. A click opens an alert. */
export const PulseStrip = memo(function PulseStrip({
  selectedId = null,
  isReady = true,
  listedAlerts = noAlerts,
}: PulseStripProps) {
  const { id } = useUser()
  const isEntitled = useIsEntitled()
  const { open } = useAlertOpener()
  const [span, setSpan] = useState(readSpan)
  const { gaps, isNeeded } = useStreamStatus()
  const { preferences } = usePreferences()
  const status = useWalletField('status')
  const currentMs = useNow((nowMs) => Math.floor(nowMs / stepMs) * stepMs)
  const oldestAlert = listedAlerts.at(-1)
  const isSpanCovered = oldestAlert !== undefined && Date.parse(oldestAlert.createdAt) < currentMs - pulseSpans[span]
  const { data: ownAlerts = [] } = useQuery({ ...queries.userAlerts(id), enabled: isReady && !isSpanCovered })
  const { data: recentAlerts = [] } = useQuery(queries.recentAlerts)
  const canReadAll = isNeeded || isEntitled
  // The user's alerts include the locked rows. If the user's alerts are not requested, request the
  // locked rows separately.
  const { data: lockedRows = [] } = useQuery({
    queryKey: ['/api/alerts/recent', recentLimit],
    queryFn: ({ signal }) => call('recentAlerts', { query: { limit: recentLimit }, signal }),
    enabled: isReady && isSpanCovered && !canReadAll && status !== 'reconnecting' && preferences.realTimeAlerts,
  })
  const allAlerts = [
    ...listedAlerts,
    ...ownAlerts.map(({ alert }) => alert),
    ...recentAlerts,
    ...(canReadAll ? [] : lockedRows),
  ]
  return (
    <PulseFrame>
      <PulseLine
        alerts={selectPulseAlerts(allAlerts, currentMs, pulseSpans[span])}
        gaps={gaps}
        now={currentMs}
        span={span}
        selectedId={selectedId}
        onSelect={open}
      />
      <Segmented
        label="Time span"
        value={span}
        choices={spanOptions}
        onChange={(chosenSpan) => {
          setSpan(chosenSpan)
          browserStorage.setItem(storageKey, chosenSpan)
        }}
      />
    </PulseFrame>
  )
})

function readSpan(): PulseSpan {
  const storedSpan = browserStorage.getItem(storageKey)
  return spanOptions.find(({ value }) => value === storedSpan)?.value ?? '6h'
}
