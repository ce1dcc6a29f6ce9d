// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FormDialog } from './form-dialog.tsx'

afterEach(cleanup)

function open(props: { isSending: boolean; hasUnsavedText?: boolean }) {
  const onClose = vi.fn()
  render(
    <FormDialog
      title="Delete my account"
      description="It can’t be undone."
      words={{ send: 'Delete', sending: 'Deleting…' }}
      onSubmit={(event) => event.preventDefault()}
      onClose={onClose}
      {...props}
    >
      <input aria-label="Confirmation" />
    </FormDialog>,
  )
  return { onClose, user: userEvent.setup({ pointerEventsCheck: 0 }) }
}

const ways = [
  ['Escape', (user) => user.keyboard('{Escape}')],
  ['a click beside it', (user) => user.click(document.body)],
  ['“Cancel”', (user) => user.click(screen.getByRole('button', { name: 'Cancel' }))],
  ['“Close”', (user) => user.click(screen.getByRole('button', { name: 'Close' }))],
] as const satisfies [string, (user: ReturnType<typeof userEvent.setup>) => Promise<void>][]

test.each(ways)('FormDialog: %s closes it when nothing is being sent', async (_, close) => {
  const { onClose, user } = open({ isSending: false })
  await close(user)
  expect(onClose).toHaveBeenCalled()
})

test.each(ways)('FormDialog: %s does not close it while the form is being sent', async (_, close) => {
  const { onClose, user } = open({ isSending: true })
  await close(user)
  expect(onClose).not.toHaveBeenCalled()
})

test.each(ways)('FormDialog: only a button closes it over unsaved text, tried with %s', async (way, close) => {
  const { onClose, user } = open({ isSending: false, hasUnsavedText: true })
  await close(user)
  expect(onClose).toHaveBeenCalledTimes(way.startsWith('“') ? 1 : 0)
})
