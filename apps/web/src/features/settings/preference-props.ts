import type { Preferences, PreferencesChange } from '@tocsin/protocol'

/** Props of a row that edits preferences. */
export interface PreferenceProps {
  preferences: Preferences
  save: (change: PreferencesChange) => void
}
