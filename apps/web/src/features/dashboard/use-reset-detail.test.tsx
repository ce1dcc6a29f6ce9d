// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useResetDetail } from './use-reset-detail.ts'

afterEach(cleanup)

function Content({ id }: { id: string }) {
  useResetDetail()
  return <a href={`#${id}`}>{`Related to ${id}`}</a>
}

function Page({ id }: { id: string }) {
  return (
    <>
      <button type="button">Row</button>
      <aside data-detail>
        <Content key={id} id={id} />
      </aside>
    </>
  )
}

test('useResetDetail: scrolls to the top and keeps focus inside the detail when the detail shows another alert', () => {
  const { rerender } = render(<Page id="a" />)
  const detail = screen.getByRole('complementary')
  detail.scrollTop = 300
  screen.getByRole('link').focus()
  rerender(<Page id="b" />)
  expect(detail.scrollTop).toBe(0)
  expect(document.activeElement).toBe(detail)
  screen.getByRole('link').focus()
  expect(detail.hasAttribute('tabindex'), 'a click in the detail does not focus it').toBe(false)
})

test('useResetDetail: does not move focus from outside the detail, and keeps the scroll position of the same alert', () => {
  const { rerender } = render(<Page id="a" />)
  const [detail, row] = [screen.getByRole('complementary'), screen.getByRole('button')]
  row.focus()
  detail.scrollTop = 300
  rerender(<Page id="a" />)
  expect(detail.scrollTop).toBe(300)
  rerender(<Page id="b" />)
  expect(document.activeElement).toBe(row)
})
