// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Destination } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { EscalationPanel } from './escalation-panel.tsx'
import { EventChoice } from './event-choice.tsx'
import { NameChips } from './name-chips.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Renders controls whose changes the server never confirms. */
function renderControls(children: ReactNode) {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
    </ReauthenticationContext>,
  )
  return userEvent.setup()
}

const findButton = (name: string) => screen.getByRole('button', { name })

// Only these fields are read.
const createDestination = (id: string, escalationStep: number | null) =>
  ({ id, name: id, kind: 'webhook', state: 'on', digest: null, events: [], escalationStep }) as unknown as Destination

test('EventChoice: keeps the focus on the checkbox while its change is saved', async () => {
  const user = renderControls(<EventChoice destination={createDestination('Bot', null)} />)
  const checkbox = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Outcomes of predictions' })
  checkbox.focus()
  await user.keyboard(' ')
  await expect.poll(() => checkbox.checked).toBe(true)
  // The test browser keeps the focus on a disabled field, unlike real browsers.
  expect(checkbox.closest('fieldset')?.disabled).toBe(false)
  expect(document.activeElement).toBe(checkbox)
})

test('EscalationPanel: keeps the focus in the list when a destination is moved to the top or removed', async () => {
  const destinations = ['One', 'Two', 'Three'].map(createDestination)
  const user = renderControls(<EscalationPanel destinations={destinations} />)
  findButton('Move Two up').focus()
  await user.keyboard('{Enter}')
  await expect.poll(() => screen.getAllByRole('listitem')[0]?.textContent).toContain('Two')
  expect(document.activeElement).toBe(findButton('Move Two up'))
  cleanup()

  const otherUser = renderControls(<EscalationPanel destinations={destinations} />)
  findButton('Remove Two from the escalation').focus()
  await otherUser.keyboard('{Enter}')
  await expect.poll(() => screen.getAllByRole('listitem')).toHaveLength(2)
  expect(document.activeElement).toBe(findButton('Remove Three from the escalation'))
})

function AssetChips() {
  const [names, setNames] = useState(['BTC', 'ETH'])
  return <NameChips id="a" label="Assets" one="asset" names={names} suggestions={[]} all="All" onChange={setNames} />
}

test('NameChips: moves the focus to the next chip or the add button when a name is removed or added', async () => {
  const user = renderControls(<AssetChips />)
  for (const [removed, focused] of [
    ['Remove BTC', 'Remove ETH'],
    ['Remove ETH', 'Add asset'],
  ] as const) {
    findButton(removed).focus()
    await user.keyboard('{Enter}')
    expect(document.activeElement).toBe(findButton(focused))
  }
  await user.keyboard('{Enter}')
  await user.keyboard('SOL{Enter}')
  expect(findButton('Remove SOL')).toBeDefined()
  expect(document.activeElement).toBe(findButton('Add asset'))
})
