import { useSyncExternalStore } from 'react'
import { browserStorage } from '../browser/browser-storage.ts'
import { Segmented } from './segmented.tsx'

const choices = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const
type ThemeChoice = (typeof choices)[number]['value']

function storedChoice(): ThemeChoice {
  const stored = browserStorage.getItem('theme')
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

/** Selects this browser's theme. `public/theme.js` applies it, in other tabs too. */
export function ThemeToggle() {
  const choice = useSyncExternalStore(subscribe, storedChoice)
  return <Segmented label="Theme" value={choice} onChange={chooseTheme} choices={choices} />
}

export function chooseTheme(next: ThemeChoice): void {
  if (next === 'system') browserStorage.removeItem('theme')
  else browserStorage.setItem('theme', next)
  window.dispatchEvent(new Event('themechoice'))
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('themechoice', listener)
  return () => window.removeEventListener('themechoice', listener)
}
