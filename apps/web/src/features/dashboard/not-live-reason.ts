import { usePreferences } from '../../session/preferences.ts'
import { useSubscription } from '../subscription/use-subscription.ts'

/** Returns a short label that says why this page opens no live stream. */
export function useNotLiveReason(): string {
  const { preferences } = usePreferences()
  const { subscription } = useSubscription()
  if (!preferences.realTimeAlerts) return 'Real-time alerts off'
  return subscription === null ? 'Not live: no plan' : 'Not live: verify wallet'
}
