import { usePreferences } from '../../session/preferences.ts'
import { useSubscription } from '../subscription/use-subscription.ts'

/** The reason why this page opens no live stream, as a short label. */
export function useNotLiveReason(): string {
  const { preferences } = usePreferences()
  const { subscription } = useSubscription()
  if (!preferences.realTimeAlerts) return 'Real-time alerts off'
  return subscription === null ? 'Not live: no plan' : 'Live once wallet proved'
}
