import type { Alert, ReadableAlert } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createClaimDraft, findChoice, mergeChoices, searchChoices } from './alert-choice.ts'

const createReadableAlert = (id: string, createdAt: string, rest: Partial<Alert> = {}) =>
  getAlert(7, { id, createdAt, signature: '0xsig', ...rest })
const olderAlert = createReadableAlert('a', '2026-11-21T10:00:00.000Z')
const newerAlert = createReadableAlert('b', '2026-11-21T11:00:00.000Z', { asset: 'BTC/USDT', logIndex: 8 })
const lockedAlert: ReadableAlert = {
  id: 'c',
  locked: true,
  priority: 'low',
  createdAt: '2026-11-21T12:00:00.000Z',
  logIndex: 9,
}
const own = (alert: ReadableAlert) => ({ id: alert.id, alert, isRead: false })
const listIds = (list: readonly ReadableAlert[]) => list.map(({ id }) => id)

describe('mergeChoices', () => {
  it('lists each alert once, newest first', () => {
    expect(listIds(mergeChoices([lockedAlert, newerAlert], [own(olderAlert), own(newerAlert)]))).toEqual([
      'c',
      'b',
      'a',
    ])
  })

  it('prefers the readable alert over the locked one', () => {
    const unlockedAlert = createReadableAlert('d', lockedAlert.createdAt, { logIndex: 9 })
    expect(mergeChoices([lockedAlert], [own(unlockedAlert)])).toEqual([unlockedAlert])
  })

  it('leaves out the locked rows of the user’s list', () => {
    expect(listIds(mergeChoices([newerAlert], [own(lockedAlert), own(olderAlert)]))).toEqual(['b', 'a'])
  })
})

it('findChoice: returns null when the alert is locked or no id is given', () => {
  expect(findChoice([lockedAlert, newerAlert], 'c')).toBeNull()
  expect(findChoice([lockedAlert, newerAlert], undefined)).toBeNull()
  expect(findChoice([lockedAlert, newerAlert], 'b')).toBe(newerAlert)
})

it.each([
  ['', ['c', 'b', 'a']],
  ['btc', ['b']],
  ['#7', ['a']],
  ['volume eth', ['a']],
  ['nothing', []],
])('searchChoices: finds the alerts that match "%s"', (search, expected) => {
  expect(listIds(searchChoices([lockedAlert, newerAlert, olderAlert], search))).toEqual(expected)
})

it('createClaimDraft: leaves the transaction empty when the alert is not anchored yet', () => {
  expect(createClaimDraft(olderAlert)).toMatchObject({ signature: '0xsig', transaction: '' })
  expect(JSON.parse(createClaimDraft(olderAlert).alertText)).toEqual(olderAlert)
})
