// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { CommandPalette } from './command-palette.tsx'
import { shortcutsDialogRequests } from './open-requests.ts'

const logOut = vi.fn()
vi.mock('./use-palette-entries.ts', () => ({
  usePaletteEntries: () => [
    { heading: 'Actions', entries: [{ label: 'Log out', words: 'Log out', run: () => logOut() }] },
  ],
}))

afterEach(() => {
  cleanup()
  logOut.mockClear()
})

function Page() {
  const [isOpen, setOpen] = useState(true)
  return isOpen && <CommandPalette onClose={() => setOpen(false)} />
}

/** Opens the palette, whose first entry is highlighted, and presses Enter on an element. */
async function pressEnterOn(element: () => HTMLElement): Promise<void> {
  const user = userEvent.setup()
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  render(
    <RouterContextProvider router={router}>
      <Page />
    </RouterContextProvider>,
  )
  await expect.poll(() => screen.getByRole('option', { name: /Log out/ }).getAttribute('aria-selected')).toBe('true')
  element().focus()
  await user.keyboard('{Enter}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
}

test('CommandPalette: Enter in the search field runs the highlighted entry', async () => {
  await pressEnterOn(() => screen.getByRole('combobox'))
  await expect.poll(() => logOut.mock.calls.length).toBe(1)
})

test('CommandPalette: Enter on “Close” closes the palette and runs no entry', async () => {
  await pressEnterOn(() => screen.getByRole('button', { name: 'Close' }))
  expect(logOut).not.toHaveBeenCalled()
})

test('CommandPalette: Enter on “all shortcuts” shows the shortcuts', async () => {
  const onRequested = vi.fn()
  const stop = shortcutsDialogRequests.listen(onRequested)
  await pressEnterOn(() => screen.getByRole('button', { name: /all shortcuts/ }))
  await expect.poll(() => onRequested.mock.calls.length).toBe(1)
  expect(logOut).not.toHaveBeenCalled()
  stop()
})
