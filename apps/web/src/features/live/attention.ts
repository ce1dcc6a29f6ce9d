import { type Preferences, type Priority, priorities } from '@tocsin/protocol'

/**
 * Result of the check in this browser. `unchecked`: it could not run. `off`: auto-verify is
 * disabled.
 */
export type ProofFinding = 'good' | 'failed' | 'unchecked' | 'off'

export type Attention = {
  /** Warn that the proof failed. Excludes the other flags. */
  warn: boolean
  toast: boolean
  sound: boolean
  /** Show a browser notification. */
  notify: boolean
}

type Situation = { proof: ProofFinding; isInUse: boolean; isMuted: boolean }

const none: Attention = { warn: false, toast: false, sound: false, notify: false }

/**
 * Decides how this page announces a new alert. Access is decided by the server, and lists show all
 * alerts regardless of this.
 */
export function decideAttention(
  preferences: Preferences,
  { priority }: { priority: Priority },
  { proof, isInUse, isMuted }: Situation,
): Attention {
  if (proof === 'failed') return { ...none, warn: true }
  if (!preferences.realTimeAlerts) return none
  if (preferences.highPriorityOnly && !isAtLeast(priority, 'high')) return none
  return {
    warn: false,
    toast: true,
    sound: preferences.sound && !isMuted && isAtLeast(priority, preferences.soundFrom),
    // If the page is focused, the toast is enough.
    notify: preferences.browserNotifications && !isInUse,
  }
}

/** Decides whether this page shows a toast for the verdict on an alert's prediction. */
export function decideOutcomeToast(
  { outcomeToasts, realTimeAlerts, highPriorityOnly }: Preferences,
  { priority }: { priority: Priority },
): boolean {
  return outcomeToasts && realTimeAlerts && (!highPriorityOnly || isAtLeast(priority, 'high'))
}

function isAtLeast(priority: Priority, lowest: Priority): boolean {
  return priorities.indexOf(priority) >= priorities.indexOf(lowest)
}
