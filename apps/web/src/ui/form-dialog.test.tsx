// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FormDialog } from './form-dialog.tsx'

afterEach(cleanup)

function openDialog(props: { isSending: boolean; hasUnsavedText?: boolean }) {
  const onClose = vi.fn()
  render(
    <FormDialog
      title="Delete my account"
      description="It can’t be undone."
      submitLabels={{ send: 'Delete', sending: 'Deleting…' }}
      onSubmit={(event) => event.preventDefault()}
      onClose={onClose}
      {...props}
    >
      <input aria-label="Confirmation" />
    </FormDialog>,
  )
  return { onClose, user: userEvent.setup({ pointerEventsCheck: 0 }) }
}

const closeAttempts = [
  ['Escape', (user) => user.keyboard('{Escape}')],
  ['a click beside it', (user) => user.click(document.body)],
  ['“Cancel”', (user) => user.click(screen.getByRole('button', { name: 'Cancel' }))],
  ['“Close”', (user) => user.click(screen.getByRole('button', { name: 'Close' }))],
] as const satisfies [string, (user: ReturnType<typeof userEvent.setup>) => Promise<void>][]

test.each(closeAttempts)('FormDialog: %s closes the dialog when nothing is being sent', async (_, close) => {
  const { onClose, user } = openDialog({ isSending: false })
  await close(user)
  expect(onClose).toHaveBeenCalled()
})

test.each(closeAttempts)('FormDialog: %s does not close the dialog while the form is being sent', async (_, close) => {
  const { onClose, user } = openDialog({ isSending: true })
  await close(user)
  expect(onClose).not.toHaveBeenCalled()
})

test.each(closeAttempts)(
  'FormDialog: only a button closes the dialog when it contains unsaved text: %s',
  async (attemptName, close) => {
    const { onClose, user } = openDialog({ isSending: false, hasUnsavedText: true })
    await close(user)
    expect(onClose).toHaveBeenCalledTimes(attemptName.startsWith('“') ? 1 : 0)
  },
)
