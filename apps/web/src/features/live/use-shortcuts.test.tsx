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

/**
 * Simulates layout boxes. Elements have none in this environment, and shortcuts click only visible
 * controls.
 */
const stubVisibleElements = () =>
  vi.spyOn(HTMLElement.prototype, 'getClientRects').mockReturnValue([new DOMRect()] as unknown as DOMRectList)

const dispatchKey = (target: HTMLElement, key: string) =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))

test('useShortcuts: a letter runs its shortcut, unless it is typed into a field or searches an open menu', () => {
  stubVisibleElements()
  const onMute = vi.fn()
  render(<Page onMute={onMute} />)
  dispatchKey(screen.getByLabelText('Search'), 'm')
  dispatchKey(screen.getByRole('menuitem'), 'm')
  expect(onMute).not.toHaveBeenCalled()
  dispatchKey(screen.getByRole('button'), 'm')
  expect(onMute).toHaveBeenCalledOnce()
})

test('useShortcuts: an open alert sheet allows only its own shortcuts, and a dialog above the sheet blocks these too', () => {
  stubVisibleElements()
  const [onMute, onWatch] = [vi.fn(), vi.fn()]
  const sheet = (isSharing: boolean) => (
    <>
      <Page onMute={onMute} />
      <div role="dialog" data-detail>
        <button type="button" data-keys="w" onClick={onWatch}>
          Watch
        </button>
      </div>
      {isSharing && <div role="dialog">Share</div>}
    </>
  )
  const { rerender } = render(sheet(false))
  dispatchKey(document.body, 'm')
  expect(onMute).not.toHaveBeenCalled()
  dispatchKey(document.body, 'w')
  expect(onWatch).toHaveBeenCalledOnce()
  rerender(sheet(true))
  dispatchKey(document.body, 'w')
  expect(onWatch).toHaveBeenCalledOnce()
})
