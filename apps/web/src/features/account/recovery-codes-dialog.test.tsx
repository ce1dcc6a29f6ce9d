// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

function openDialog(writeText: () => Promise<void>) {
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(writeText)
  const onClose = vi.fn()
  render(<RecoveryCodesDialog codes={['aaaa-bbbb']} onClose={onClose} />)
  const clickButton = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  clickButton('Copy all')
  return { onClose, close: () => clickButton('I have saved them') }
}

test('RecoveryCodesDialog: warns before it closes when the codes could not be copied', async () => {
  const { onClose, close } = openDialog(() => Promise.reject(new DOMException('Denied', 'NotAllowedError')))
  await screen.findByText('This browser did not copy the codes. Download them, or write them down.')
  close()
  expect(onClose).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { name: 'Close without saving' })).toBeDefined()
})

test('RecoveryCodesDialog: closes without a warning when the codes were copied', async () => {
  const { onClose, close } = openDialog(async () => {})
  await screen.findByRole('button', { name: 'Copied' })
  close()
  expect(onClose).toHaveBeenCalledTimes(1)
})
