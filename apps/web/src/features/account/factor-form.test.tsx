// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import type { FactorMethod } from '@tocsin/protocol'
import { afterEach, expect, test } from 'vitest'
import { FactorForm } from './factor-form.tsx'

afterEach(cleanup)

/** Renders the form in this test browser, which does not support passkeys. */
function renderForm(methods: FactorMethod[]) {
  expect('PublicKeyCredential' in window).toBe(false)
  const submitLabels = { send: 'Confirm', sending: 'Checking…' }
  render(
    <FactorForm methods={methods} submitLabels={submitLabels} onCode={async () => {}} onPasskey={async () => {}} />,
  )
}

test('FactorForm: says that the browser does not support passkeys when the account has no other factor', () => {
  renderForm(['passkey'])
  expect(screen.getByRole('alert').textContent).toContain('this browser does not support passkeys')
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('FactorForm: asks for a recovery code when the browser does not support passkeys and a code is left', () => {
  renderForm(['passkey', 'recovery-code'])
  expect(screen.getByLabelText('Recovery code')).toBeDefined()
  expect(screen.getByText('One of the 10 codes that you saved.')).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
})
