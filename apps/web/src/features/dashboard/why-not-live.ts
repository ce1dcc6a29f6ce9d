import { usePreferences } from '../../preferences.ts'
import { shellTexts } from '../../texts/shell.tsx'
import { useSubscription } from '../subscription/use-subscription.ts'

const texts = shellTexts.headerSlots

/** Why this page wants no live stream, as a few words. */
export function useWhyNotLive(): string {
  const { preferences } = usePreferences()
  const { subscription } = useSubscription()
  if (!preferences.realTimeAlerts) return texts.realTimeAlertsOff
  return subscription === null ? texts.liveWithAPlan : texts.liveOnceWalletProved
}
