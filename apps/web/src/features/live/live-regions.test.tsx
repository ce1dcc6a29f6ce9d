// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { announce, LiveRegions } from './live-regions.tsx'

afterEach(cleanup)

test('LiveRegions: do not contain the texts of the previous account after a logout', () => {
  const { unmount } = render(<LiveRegions />)
  act(() => {
    announce('polite', '3 new alerts')
    announce('assertive', 'Critical alert: BTC/USDT')
  })
  expect(screen.getByText('3 new alerts')).toBeDefined()
  unmount()
  const { container } = render(<LiveRegions />)
  expect(container.textContent).toBe('')
})
