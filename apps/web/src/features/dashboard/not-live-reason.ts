import { usePreferences } from '../../session/preferences.ts'
import { useIsEntitled, useSubscription } from '../subscription/use-subscription.ts'

/** Returns a short label that says why this page opens no live stream. */
export function useNotLiveReason(): string {
  const { preferences } = usePreferences()
  const isEntitled = useIsEntitled()
  const { isPending } = useSubscription()
  if (!preferences.realTimeAlerts) return 'Real-time alerts off'
  if (isEntitled) return 'Not live: verify wallet'
  return isPending ? 'Not live: plan not loaded' : 'Not live: no plan'
}
