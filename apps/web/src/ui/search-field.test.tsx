// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SearchField } from './search-field.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** The field on a page that stores the search without spaces around it, as the URL does. */
function Page({ onSearch }: { onSearch: (search: string) => void }) {
  const [value, setValue] = useState('')
  const search = (text: string) => {
    onSearch(text)
    setValue(text.trim())
  }
  return (
    <>
      <SearchField label="Search" placeholder="" value={value} onSearch={search} />
      <button type="button" onClick={() => setValue('')}>
        Clear
      </button>
    </>
  )
}

function openSearch() {
  const searches: string[] = []
  render(<Page onSearch={(search) => searches.push(search)} />)
  const field = screen.getByLabelText<HTMLInputElement>('Search')
  return {
    searches,
    shown: () => field.value,
    /** Types a text and pauses for longer than the debounce. */
    type(text: string) {
      fireEvent.change(field, { target: { value: text } })
      act(() => vi.advanceTimersByTime(300))
    },
    clear: () => fireEvent.click(screen.getByRole('button', { name: 'Clear' })),
  }
}

test('SearchField: keeps a trailing space and starts no new search when the user pauses after a space', () => {
  const { searches, shown, type } = openSearch()
  for (const text of ['volume', 'volume ', 'volume s']) {
    type(text)
    expect(shown()).toBe(text)
  }
  expect(searches).toEqual(['volume', 'volume s'])
})

test('SearchField: is emptied when another control clears the search', () => {
  const { searches, shown, type, clear } = openSearch()
  type('volume ')
  clear()
  expect(shown()).toBe('')
  act(() => vi.advanceTimersByTime(300))
  expect(searches).toEqual(['volume'])
})
