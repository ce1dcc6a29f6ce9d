import { useQuery } from '@tanstack/react-query'
import { type AlertSelection, parseRangeEnd, parseRangeStart } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { useMemo, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { useNow } from '../../ui/now.ts'
import { useSubscription } from '../subscription/use-subscription.ts'

const noFilters: AlertSelection = {}

/**
 * Returns the chosen selection, and the selection without filters. Without a subscription, both are
 * limited to public alerts, so that the user sees a sample instead of locked rows. The limit moves
 * only once an hour, because each move loads the list again. Staff with the permission to read
 * alerts need no subscription. `isPending` is true until it is known whether the user has a
 * subscription and, if not, which alerts are public. If the subscription cannot be loaded, the
 * selections are not limited, so that subscribers see the newest alerts. If the configuration
 * cannot be loaded, `isPending` stays true and `retry` loads it again; otherwise `retry` is null.
 */
export function useSample(chosenSelection: AlertSelection) {
  const canReadAll = useUser().permissions.includes('alerts.read')
  const { subscription, isPending, isError } = useSubscription()
  const { data: config, isLoadingError, refetch } = useQuery(queries.config)
  const [startedAtMs, setStartedAtMs] = useState<number | null>(null)
  const delayHours = config?.publicDelayHours ?? 0
  const hasNoPlan = !canReadAll && !isPending && subscription === null
  const isSample = hasNoPlan && delayHours > 0
  // The subscription can end while the page is open.
  if (isSample !== (startedAtMs !== null)) setStartedAtMs(isSample ? Date.now() : null)
  const elapsedHours = useNow((nowMs) =>
    startedAtMs === null ? 0 : Math.max(0, Math.floor((nowMs - startedAtMs) / HOUR_MS)),
  )
  const sampleEndMs = startedAtMs === null ? null : startedAtMs + (elapsedHours - delayHours) * HOUR_MS
  const selection = useMemo(
    () => (sampleEndMs === null ? chosenSelection : limitToTime(chosenSelection, sampleEndMs)),
    [chosenSelection, sampleEndMs],
  )
  const unfilteredSelection = useMemo(
    () => (sampleEndMs === null ? noFilters : limitToTime(noFilters, sampleEndMs)),
    [sampleEndMs],
  )
  return {
    selection,
    unfiltered: unfilteredSelection,
    isSample,
    isPending: hasNoPlan ? config === undefined : !canReadAll && isPending && !isError,
    retry: hasNoPlan && isLoadingError ? () => void refetch() : null,
  }
}

/**
 * Limits the selection to alerts that were issued until this time. If the selection begins after
 * that, returns a selection that matches no alert, because the server rejects a range that ends
 * before it starts.
 */
export function limitToTime(selection: AlertSelection, untilMs: number): AlertSelection {
  if (parseRangeStart(selection.from) > untilMs) return { ...selection, assets: '' }
  return parseRangeEnd(selection.to) < untilMs ? selection : { ...selection, to: new Date(untilMs).toISOString() }
}
