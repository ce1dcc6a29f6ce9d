// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CopyButton } from './copy-button.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test.each([true, false])(
  'CopyButton: shows that a copy has failed, and copies at the next click (words: %s)',
  async (words) => {
    // Browsers have no clipboard on pages without HTTPS.
    const clipboard = vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as unknown as Clipboard)
    render(<CopyButton text="0xabc" label="Copy address" words={words} />)
    fireEvent.click(screen.getByRole('button', { name: 'Copy address' }))
    const button = await screen.findByRole('button', { name: 'Copy failed' })
    clipboard.mockRestore()
    fireEvent.click(button)
    await screen.findByRole('button', { name: 'Copied' })
    expect(await navigator.clipboard.readText()).toBe('0xabc')
  },
)
