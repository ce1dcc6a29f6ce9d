import { usePreferences } from '../../preferences.ts'
import { useSubscription } from '../subscription/use-subscription.ts'

/** Why this page wants no live stream, as a few words. */
export function useWhyNotLive(): string {
  const { preferences } = usePreferences()
  const { subscription } = useSubscription()
  if (!preferences.realTimeAlerts) return 'Real-time alerts off'
  return subscription === null ? 'Live with a plan' : 'Live once wallet proved'
}
