import type { Alert, Priority } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import {
  type AlertFilter,
  countByPriority,
  countUnread,
  filterAlerts,
  noFilter,
  type UserAlert,
} from './alert-filter.ts'

function own(id: string, priority: Priority, change: Partial<Alert>, isRead = false): UserAlert {
  const alert: Alert = {
    id,
    kind: 'alert',
    targetIndex: null,
    targetLeafHash: null,
    supersededBy: null,
    asset: 'ETH/USDT',
    priority,
    summary: 'Volume 4.1 times its norm.',
    confidence: 97.3,
    regime: 'volatile',
    anomalyType: 'Volume spike',
    createdAt: '2026-11-21T14:00:00.000Z',
    origin: 'feed',
    signalHash: null,
    signer: '0x00',
    signature: '0x00',
    logIndex: 0,
    leafHash: '0x00',
    merklePath: [],
    treeSize: null,
    root: null,
    avalancheTx: null,
    anchoredAt: null,
    ...change,
  }
  return { id, alert, isRead }
}

const list = [
  own('a', 'critical', {}),
  own('b', 'high', { asset: 'SOL/USDT', anomalyType: 'Funding flip', summary: 'Funding turned.' }, true),
  own('c', 'low', { asset: 'BTC/USDT', regime: 'calm' }),
]

describe('filterAlerts', () => {
  it.each<[Partial<AlertFilter>, string[]]>([
    [{ search: 'doge' }, []],
    [{ priority: 'medium' }, []],
    [{ search: 'sol', unreadOnly: true }, []],
    [{}, ['a', 'b', 'c']],
    [{ search: '   ' }, ['a', 'b', 'c']],
    [{ search: 'USDT volume' }, ['a', 'c']],
    [{ search: 'CALM' }, ['c']],
    [{ priority: 'high' }, ['b']],
    [{ unreadOnly: true }, ['a', 'c']],
  ])('%j shows %j', (filter, ids) => {
    expect(filterAlerts(list, { ...noFilter, ...filter }).map(({ id }) => id)).toEqual(ids)
  })

  it('keeps what was opened while only the unread ones are shown, as far as the rest of the filter allows', () => {
    const shownIds = (filter: Partial<AlertFilter>) =>
      filterAlerts(list, { ...noFilter, unreadOnly: true, ...filter }, new Set(['b'])).map(({ id }) => id)
    expect(shownIds({ search: 'btc' })).toEqual(['c'])
    expect(shownIds({})).toEqual(['a', 'b', 'c'])
  })
})

it('counts', () => {
  expect(countByPriority(list)).toEqual({ all: 3, critical: 1, high: 1, medium: 0, low: 1 })
  expect(countUnread(list)).toBe(2)
})
