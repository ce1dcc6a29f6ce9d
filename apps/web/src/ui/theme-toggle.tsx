import { useState } from 'react'
import { Segmented } from './segmented.tsx'

const choices = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const
type ThemeChoice = (typeof choices)[number]['value']

function storedChoice(): ThemeChoice {
  const stored = localStorage.getItem('theme')
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

/** Theme of this browser. The script of the first paint (theme.js) applies the choice, here and in other tabs. */
export function ThemeToggle() {
  const [choice, setChoice] = useState(storedChoice)
  function choose(next: ThemeChoice) {
    if (next === 'system') localStorage.removeItem('theme')
    else localStorage.setItem('theme', next)
    window.dispatchEvent(new Event('themechoice'))
    setChoice(next)
  }
  return <Segmented label="Theme" value={choice} onChange={choose} choices={choices} />
}
