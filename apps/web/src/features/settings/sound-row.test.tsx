// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { defaultPreferences, type PreferencesChange } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { SoundRow } from './sound-row.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** Moves the slider twice. Returns the changes that are saved from then on. */
function moveSlider() {
  vi.useFakeTimers()
  const changes: PreferencesChange[] = []
  const preferences = { ...defaultPreferences, sound: true }
  const { unmount } = render(<SoundRow preferences={preferences} save={(change) => void changes.push(change)} />)
  for (const value of ['10', '15']) fireEvent.change(screen.getByLabelText('Volume'), { target: { value } })
  expect(changes).toEqual([])
  return { changes, unmount }
}

test('SoundRow: saves the last volume once when the user leaves the page right after moving the slider', () => {
  const { changes, unmount } = moveSlider()
  unmount()
  vi.advanceTimersByTime(1_000)
  expect(changes).toEqual([{ soundVolume: 15 }])
})

test('SoundRow: saves the last volume once when the user stops moving the slider', () => {
  const { changes, unmount } = moveSlider()
  vi.advanceTimersByTime(1_000)
  unmount()
  expect(changes).toEqual([{ soundVolume: 15 }])
})
