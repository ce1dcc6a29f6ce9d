import type { ViewFilter } from '@tocsin/protocol'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { outcomeNames } from '../prediction/outcome-state.ts'
import type { AlertSearchParams } from './alert-search-params.ts'

export interface FilterPart {
  /** Identifies the part within its filter. */
  key: string
  words: string
  /** The change of the filter that removes this part. */
  without: Partial<AlertSearchParams>
}

/** Splits a filter into parts with a label each. A list has one part for each value. */
export function createFilterParts(filter: ViewFilter): FilterPart[] {
  const { q, regime, verdict, from, to, read, watchlist } = filter
  const createPart = (key: keyof ViewFilter, words: string | undefined): FilterPart[] =>
    words === undefined ? [] : [{ key, words, without: { [key]: undefined } }]
  return [
    ...createPart('q', q === undefined ? undefined : `“${q}”`),
    ...createListParts('priority', [...(filter.priority ?? [])].reverse(), (priority) => priorityStyles[priority].word),
    ...createListParts('asset', filter.asset ?? [], String),
    ...createListParts('type', filter.type ?? [], String),
    ...createPart('regime', regime === undefined ? undefined : `Regime ${regime}`),
    ...createPart('verdict', verdict === undefined ? undefined : outcomeNames[verdict]),
    ...createPart('from', from === undefined ? undefined : `From ${from}`),
    ...createPart('to', to === undefined ? undefined : `To ${to}`),
    ...createPart('read', read === undefined ? undefined : 'Unread only'),
    ...createPart('watchlist', watchlist === undefined ? undefined : 'Watchlist only'),
  ]
}

function createListParts<Name extends string>(
  key: 'priority' | 'asset' | 'type',
  values: readonly Name[],
  formatValue: (value: Name) => string,
): FilterPart[] {
  return values.map((value) => {
    const remainingValues = values.filter((other) => other !== value)
    return {
      key: `${key} ${value}`,
      words: formatValue(value),
      without: { [key]: remainingValues.length > 0 ? remainingValues : undefined },
    }
  })
}

/** Describes a filter on one line: "High, Critical, BTC/USDT". */
export const formatFilter = (filter: ViewFilter): string =>
  createFilterParts(filter)
    .map(({ words }) => words)
    .join(', ')

/** Adds the value to a list of the filter, or removes it if the list contains it. */
export function toggleValue<Value>(values: readonly Value[] | undefined, value: Value): Value[] | undefined {
  const remainingValues = (values ?? []).filter((other) => other !== value)
  const toggledValues = remainingValues.length === (values ?? []).length ? [...remainingValues, value] : remainingValues
  return toggledValues.length > 0 ? toggledValues : undefined
}
