// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { chooseTheme, ThemeToggle } from './theme-toggle.tsx'

afterEach(() => {
  cleanup()
  localStorage.clear()
})

const getSelectedTheme = () => screen.getByRole('radio', { checked: true }).textContent

test('ThemeToggle: shows the theme that was chosen last, here or in another tab', () => {
  render(<ThemeToggle />)
  expect(getSelectedTheme()).toBe('System')
  act(() => chooseTheme('dark'))
  expect(getSelectedTheme()).toBe('Dark')
  act(() => {
    localStorage.setItem('theme', 'light')
    // public/theme.js dispatches this event when another tab has changed the choice.
    window.dispatchEvent(new Event('themechoice'))
  })
  expect(getSelectedTheme()).toBe('Light')
})
