// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useShortcuts } from './use-shortcuts.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

function Page({ onMute }: { onMute: () => void }) {
  return (
    <>
      {useShortcuts(true)}
      <button type="button" data-keys="m" onClick={onMute}>
        Mute
      </button>
      <input aria-label="Search" />
      <div role="menu">
        <div role="menuitem" tabIndex={-1}>
          Majors
        </div>
      </div>
    </>
  )
}

test('useShortcuts: a letter runs its shortcut, unless it is typed into a field or searches an open menu', () => {
  // Elements have no layout box in this environment, and shortcuts click only visible controls.
  vi.spyOn(HTMLElement.prototype, 'getClientRects').mockReturnValue([new DOMRect()] as unknown as DOMRectList)
  const onMute = vi.fn()
  render(<Page onMute={onMute} />)
  const press = (target: HTMLElement) =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key: 'm', bubbles: true, cancelable: true }))
  press(screen.getByLabelText('Search'))
  press(screen.getByRole('menuitem'))
  expect(onMute).not.toHaveBeenCalled()
  press(screen.getByRole('button'))
  expect(onMute).toHaveBeenCalledOnce()
})
