// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext, ReauthenticationDeclined } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { AddTotpButton } from './add-factor-buttons.tsx'
import { EnrolPasskeyDialog } from './enrol-passkey-dialog.tsx'
import { EnrolTotpDialog } from './enrol-totp-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  systemToasts.clear()
})

const declinedMessage = 'Your identity was not confirmed. Nothing was changed.'

/** Renders with a server that requires reauthentication, which the user cancels. */
function renderUnconfirmed(children: ReactNode) {
  const refusal = { success: false, code: 'reauthentication_required', message: 'Confirm first.', requestId: 'r' }
  vi.stubGlobal('fetch', async () => Response.json(refusal, { status: 403 }))
  render(
    <ReauthenticationContext value={() => Promise.reject(new ReauthenticationDeclined())}>
      <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
    </ReauthenticationContext>,
  )
}

const close = () => {}

test.each([
  ['EnrolPasskeyDialog', 'Name', 'Create passkey', <EnrolPasskeyDialog key="1" onDone={close} onCancel={close} />],
  [
    'EnrolTotpDialog',
    'Code from the app',
    'Turn on',
    <EnrolTotpDialog key="2" enrolment={{ secret: 'ABCD', uri: 'otpauth://x' }} onDone={close} onCancel={close} />,
  ],
])('%s: says that nothing was changed when the user cancels the reauthentication', async (_, field, button, dialog) => {
  renderUnconfirmed(dialog)
  fireEvent.change(screen.getByLabelText(field), { target: { value: '123456' } })
  fireEvent.click(screen.getByRole('button', { name: button }))
  expect(await screen.findByText(declinedMessage)).toBeDefined()
})

test('AddTotpButton: shows no error when the user cancels the reauthentication', async () => {
  renderUnconfirmed(<AddTotpButton onDone={close} />)
  fireEvent.click(screen.getByRole('button', { name: 'Set up an authenticator app' }))
  await expect
    .poll(() => systemToasts.snapshot().shown.map(({ item }) => item))
    .toEqual([{ title: 'Nothing was changed', description: declinedMessage }])
})
