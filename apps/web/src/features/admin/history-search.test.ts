import type { AdminAlert } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { logNumber, searchHistory } from './history-search.ts'

const alert = (logIndex: number, asset: string, summary: string): AdminAlert => ({
  id: String(logIndex),
  asset,
  priority: 'high',
  summary,
  confidence: 90,
  regime: 'Range',
  anomalyType: 'Volume spike',
  createdAt: '2026-11-21T10:00:00.000Z',
  origin: 'admin',
  signalHash: null,
  signer: '',
  signature: '',
  logIndex,
  leafHash: '',
  merklePath: [],
  treeSize: null,
  root: null,
  avalancheTx: null,
  anchoredAt: null,
  broadcastAt: null,
})
const alerts = [alert(18_499, 'ETH/USDT', 'Depth fell 1,200'), alert(7, 'BTC/USDT', 'Bids outweigh asks')]

it.each([
  [' ', [18_499, 7]],
  ['btc', [7]],
  ['#18,499', [18_499]],
  ['18499', [18_499]],
  ['1,200 depth', [18_499]],
  ['HIGH volume range', [18_499, 7]],
  ['eth asks', []],
])('search "%s"', (search, found) => {
  expect(searchHistory(alerts, search).map(({ logIndex }) => logIndex)).toEqual(found)
})

it('writes log numbers with their thousands apart', () => {
  expect(logNumber(18_499)).toBe('#18,499')
})
