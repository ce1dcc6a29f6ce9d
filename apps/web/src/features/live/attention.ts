import { type Preferences, type Priority, priorities } from '@tocsin/protocol'

/** What this browser found of an alert: `unchecked` where it could not check, `off` where it was not to. */
export type ProofFinding = 'good' | 'failed' | 'unchecked' | 'off'

export type Attention = {
  /** Say that its proof failed, instead of anything below. */
  warn: boolean
  toast: boolean
  sound: boolean
  /** A notification of the browser's own. */
  notify: boolean
}

type Situation = { proof: ProofFinding; isInUse: boolean; isMuted: boolean }

const none: Attention = { warn: false, toast: false, sound: false, notify: false }

/**
 * How an alert that comes in now is announced in this page: the one place where that is decided. Whether the account may read it at all was decided by
 * the server, and what is announced or not, lists show all of it.
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
    // Where somebody looks at the page the toast is enough.
    notify: preferences.browserNotifications && !isInUse,
  }
}

function isAtLeast(priority: Priority, lowest: Priority): boolean {
  return priorities.indexOf(priority) >= priorities.indexOf(lowest)
}
