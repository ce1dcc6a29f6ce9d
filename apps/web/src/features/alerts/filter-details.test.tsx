// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { type AlertSearchParams, readAlertSearchParams } from '../alert/alert-search-params.ts'
import { FilterDetails } from './filter-details.tsx'

afterEach(cleanup)

type FieldsProps = { first: AlertSearchParams; onRefine: (change: Partial<AlertSearchParams>) => void }

/** Renders the fields on a page that stores the filter in state instead of the URL. */
function Fields({ first, onRefine }: FieldsProps) {
  const [search, setSearch] = useState(first)
  const refineSearch = (change: Partial<AlertSearchParams>) => {
    onRefine(change)
    setSearch({ ...search, ...change })
  }
  return <FilterDetails searchParams={readAlertSearchParams(search)} onRefine={refineSearch} className="" />
}

function openFields(first: AlertSearchParams) {
  const changes: Partial<AlertSearchParams>[] = []
  const client = createQueryClient()
  client.setQueryData(alertQueries.facets.queryKey, { assets: [], types: [], regimes: [] })
  render(
    <QueryClientProvider client={client}>
      <Fields first={first} onRefine={(change) => changes.push(change)} />
    </QueryClientProvider>,
  )
  const field = screen.getByLabelText<HTMLInputElement>(/^From/)
  /** Sets the text of the field. Returns the text that the field shows afterwards. */
  const type = (text: string) => {
    fireEvent.change(field, { target: { value: text } })
    return field.value
  }
  return { changes, field, type }
}

test('FilterDetails: accepts a year typed digit by digit, and filters only when the year is complete', () => {
  const { changes, type } = openFields({})
  for (const day of ['0002-11-21', '0020-11-21', '0202-11-21', '2026-11-21']) expect(type(day)).toBe(day)
  expect(changes).toEqual([{ from: '2026-11-21' }])
})

test('FilterDetails: restores the previous day when the field loses focus with an incomplete year', () => {
  const { changes, field, type } = openFields({ from: '2026-11-21' })
  expect(type('0002-11-21')).toBe('0002-11-21')
  fireEvent.blur(field)
  expect(field.value).toBe('2026-11-21')
  expect(changes).toEqual([])
})

test('FilterDetails: removes the filter when the field is emptied', () => {
  const { changes, type } = openFields({ from: '2026-11-21' })
  expect(type('')).toBe('')
  expect(changes).toEqual([{ from: undefined }])
})
