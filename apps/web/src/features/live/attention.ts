import { type Preferences, type Priority, priorities } from '@tocsin/protocol'

/**
 * Result of the check in this browser. `unchecked` means that the check could not run, `off` that
 * auto-verify is disabled.
 */
export type ProofFinding = 'good' | 'failed' | 'unchecked' | 'off'

export type AnnouncementPlan = {
  toast: boolean
  sound: boolean
  /** Show a browser notification. */
  notify: boolean
}

type AnnouncementContext = { proof: ProofFinding; isInUse: boolean; isMuted: boolean }

const noAttention: AnnouncementPlan = { toast: false, sound: false, notify: false }

/**
 * Decides how this page announces a new alert. The decision changes neither which alerts the user
 * can read nor which alerts the lists contain.
 */
export function decideAttention(
  preferences: Preferences,
  { priority }: { priority: Priority },
  { proof, isInUse, isMuted }: AnnouncementContext,
): AnnouncementPlan {
  if (proof === 'failed' || !preferences.realTimeAlerts) return noAttention
  if (preferences.highPriorityOnly && comparePriorities(priority, 'high') < 0) return noAttention
  return {
    toast: true,
    sound: preferences.sound && !isMuted && comparePriorities(priority, preferences.soundFrom) >= 0,
    // While the site is in use, also in another tab, the toast is enough.
    notify: preferences.browserNotifications && !isInUse,
  }
}

/** Decides whether this page shows a toast for the verdict on an alert's prediction. */
export function decideOutcomeToast(
  { outcomeToasts, realTimeAlerts, highPriorityOnly }: Preferences,
  { priority }: { priority: Priority },
): boolean {
  return outcomeToasts && realTimeAlerts && (!highPriorityOnly || comparePriorities(priority, 'high') >= 0)
}

/** Compares two priorities for sorting: negative if `one` is lower than `other`. */
export function comparePriorities(one: Priority, other: Priority): number {
  return priorities.indexOf(one) - priorities.indexOf(other)
}
