import type { ListedVerdict, ViewFilter } from '@tocsin/protocol'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { outcomeNames } from '../prediction/outcome-state.ts'
import type { AlertSearchParams } from './alert-search-params.ts'

export const verdictLabels: Record<ListedVerdict, string> = {
  open: outcomeNames.open,
  'came-true': outcomeNames['came-true'],
  'did-not': outcomeNames['did-not'],
  void: outcomeNames.void,
}

export interface FilterPart {
  /** Identifies the part within its filter. */
  key: string
  words: string
  /** The change of the filter that removes this part. */
  without: Partial<AlertSearchParams>
}

/** Splits a filter into parts with a label each. A list has one part for each value. */
export function filterParts(filter: ViewFilter): FilterPart[] {
  const { q, regime, verdict, from, to, read, watchlist } = filter
  const one = (key: keyof ViewFilter, words: string | undefined): FilterPart[] =>
    words === undefined ? [] : [{ key, words, without: { [key]: undefined } }]
  return [
    ...one('q', q === undefined ? undefined : `“${q}”`),
    ...listParts('priority', [...(filter.priority ?? [])].reverse(), (priority) => priorityStyles[priority].word),
    ...listParts('asset', filter.asset ?? [], String),
    ...listParts('type', filter.type ?? [], String),
    ...one('regime', regime === undefined ? undefined : `Regime ${regime}`),
    ...one('verdict', verdict === undefined ? undefined : verdictLabels[verdict]),
    ...one('from', from === undefined ? undefined : `From ${from}`),
    ...one('to', to === undefined ? undefined : `To ${to}`),
    ...one('read', read === undefined ? undefined : 'Unread only'),
    ...one('watchlist', watchlist === undefined ? undefined : 'Watchlist only'),
  ]
}

function listParts<Name extends string>(
  key: 'priority' | 'asset' | 'type',
  values: readonly Name[],
  formatValue: (value: Name) => string,
): FilterPart[] {
  return values.map((value) => {
    const rest = values.filter((other) => other !== value)
    return {
      key: `${key} ${value}`,
      words: formatValue(value),
      without: { [key]: rest.length > 0 ? rest : undefined },
    }
  })
}

/** Describes a filter on one line: "High, Critical, BTC/USDT". */
export const formatFilter = (filter: ViewFilter): string =>
  filterParts(filter)
    .map(({ words }) => words)
    .join(', ')

/** Adds the value to a list of the filter, or removes it if the list contains it. */
export function toggled<Value>(values: readonly Value[] | undefined, value: Value): Value[] | undefined {
  const rest = (values ?? []).filter((other) => other !== value)
  const next = rest.length === (values ?? []).length ? [...rest, value] : rest
  return next.length > 0 ? next : undefined
}
