import type { Alert, ReadableAlert } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createClaimDraft, findChoice, mergeChoices, searchChoices } from './alert-choice.ts'

const full = (id: string, createdAt: string, rest: Partial<Alert> = {}) =>
  getAlert(7, { id, createdAt, signature: '0xsig', ...rest })
const older = full('a', '2026-11-21T10:00:00.000Z')
const newer = full('b', '2026-11-21T11:00:00.000Z', { asset: 'BTC/USDT', logIndex: 8 })
const locked: ReadableAlert = {
  id: 'c',
  locked: true,
  priority: 'low',
  createdAt: '2026-11-21T12:00:00.000Z',
  logIndex: 9,
}
const own = (alert: ReadableAlert) => ({ id: alert.id, alert, isRead: false })
const ids = (list: readonly ReadableAlert[]) => list.map(({ id }) => id)

describe('mergeChoices', () => {
  it('lists each alert once, newest first', () => {
    expect(ids(mergeChoices([locked, newer], [own(older), own(newer)]))).toEqual(['c', 'b', 'a'])
  })

  it('prefers the readable alert over the locked one', () => {
    const open = full('d', locked.createdAt, { logIndex: 9 })
    expect(mergeChoices([locked], [own(open)])).toEqual([open])
  })

  it('leaves out the locked rows of the user’s list', () => {
    expect(ids(mergeChoices([newer], [own(locked), own(older)]))).toEqual(['b', 'a'])
  })
})

it('findChoice: returns null when the alert is locked or no id is given', () => {
  expect(findChoice([locked, newer], 'c')).toBeNull()
  expect(findChoice([locked, newer], undefined)).toBeNull()
  expect(findChoice([locked, newer], 'b')).toBe(newer)
})

it.each([
  ['', ['c', 'b', 'a']],
  ['btc', ['b']],
  ['#7', ['a']],
  ['volume eth', ['a']],
  ['nothing', []],
])('searchChoices: finds the alerts that match "%s"', (search, expected) => {
  expect(ids(searchChoices([locked, newer, older], search))).toEqual(expected)
})

it('createClaimDraft: leaves the transaction empty when the alert is not anchored yet', () => {
  expect(createClaimDraft(older)).toMatchObject({ signature: '0xsig', transaction: '' })
  expect(JSON.parse(createClaimDraft(older).alertText)).toEqual(older)
})
