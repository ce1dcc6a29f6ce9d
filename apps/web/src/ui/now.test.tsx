import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { useNow } from './now.ts'

afterEach(() => vi.useRealTimers())

function Clock() {
  return <p>{useNow((nowMs) => new Date(nowMs).toISOString())}</p>
}

test('the first render shows the present although no timer has run since the last one', () => {
  vi.useFakeTimers({ now: Date.now() + 3_600_000 })
  expect(renderToStaticMarkup(<Clock />)).toBe(`<p>${new Date().toISOString()}</p>`)
})
