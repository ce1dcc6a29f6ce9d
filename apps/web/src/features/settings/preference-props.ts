import type { Preferences, PreferencesChange } from '@tocsin/protocol'

/** What a row for one preference needs. */
export interface PreferenceProps {
  preferences: Preferences
  save: (change: PreferencesChange) => void
}
