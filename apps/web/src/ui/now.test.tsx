import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { useNow } from './now.ts'

afterEach(() => vi.useRealTimers())

function Clock() {
  return <p>{useNow((nowMs) => new Date(nowMs).toISOString())}</p>
}

function Slow() {
  vi.advanceTimersByTime(900)
  return null
}

test('the first render shows the present although no timer has run since the last one', () => {
  vi.useFakeTimers({ now: Date.now() + 3_600_000 })
  expect(renderToStaticMarkup(<Clock />)).toBe(`<p>${new Date().toISOString()}</p>`)
})

test('all values of a render have the same time although the render takes a second', () => {
  vi.useFakeTimers({ now: Date.now() + 7_200_000 })
  const html = renderToStaticMarkup(
    <>
      <Clock />
      <Slow />
      <Clock />
    </>,
  )
  const [, first, second] = /^<p>(.*)<\/p><p>(.*)<\/p>$/.exec(html) ?? []
  expect(second).toBe(first)
})
