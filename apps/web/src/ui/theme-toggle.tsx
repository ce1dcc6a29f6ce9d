import { useSyncExternalStore } from 'react'
import { browserStorage } from '../browser/browser-storage.ts'
import { Segmented } from './segmented.tsx'

const themeChoices = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const
type ThemeChoice = (typeof themeChoices)[number]['value']

function readStoredChoice(): ThemeChoice {
  const storedTheme = browserStorage.getItem('theme')
  return storedTheme === 'dark' || storedTheme === 'light' ? storedTheme : 'system'
}

/** Selects this browser's theme. `public/theme.js` applies it, in other tabs too. */
export function ThemeToggle() {
  const choice = useSyncExternalStore(subscribe, readStoredChoice)
  return <Segmented label="Theme" value={choice} onChange={chooseTheme} choices={themeChoices} />
}

export function chooseTheme(theme: ThemeChoice): void {
  if (theme === 'system') browserStorage.removeItem('theme')
  else browserStorage.setItem('theme', theme)
  window.dispatchEvent(new Event('themechoice'))
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('themechoice', listener)
  return () => window.removeEventListener('themechoice', listener)
}
