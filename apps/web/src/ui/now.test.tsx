import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { useNow } from './now.ts'

afterEach(() => vi.useRealTimers())

function Clock() {
  return <p>{useNow((nowMs) => new Date(nowMs).toISOString())}</p>
}

function SlowComponent() {
  vi.advanceTimersByTime(900)
  return null
}

test('useNow: returns the current time on the first render even if no timer has run since an earlier render', () => {
  vi.useFakeTimers({ now: Date.now() + 3_600_000 })
  expect(renderToStaticMarkup(<Clock />)).toBe(`<p>${new Date().toISOString()}</p>`)
})

test('useNow: returns the same time to all components of one render even if the render takes a second', () => {
  vi.useFakeTimers({ now: Date.now() + 7_200_000 })
  const html = renderToStaticMarkup(
    <>
      <Clock />
      <SlowComponent />
      <Clock />
    </>,
  )
  const [, first, second] = /^<p>(.*)<\/p><p>(.*)<\/p>$/.exec(html) ?? []
  expect(second).toBe(first)
})
