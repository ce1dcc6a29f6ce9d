import { describe, expect, it } from 'vitest'
import {
  canBeRevised,
  createCorrectionForm,
  createDraft,
  createRetractionForm,
  listChanges,
} from './corrected-alert.ts'

const alert = {
  asset: 'ETH/USDT',
  anomalyType: 'Volume spike',
  confidence: 97.3,
  regime: '',
  summary: 'Volume 4.1 times its norm.',
  priority: 'high',
  broadcastAt: '2026-11-24T12:00:00.000Z',
} as const
const draft = createDraft(alert)

it.each([
  ['alert', null, true],
  ['correction', null, true],
  ['alert', 'correction', true],
  ['alert', 'retraction', false],
  ['retraction', null, false],
] as const)('canBeRevised: for a %s superseded by %s, returns %s', (kind, successor, isOpen) => {
  const supersededBy = successor && { logIndex: 9, id: 'x', kind: successor }
  expect(canBeRevised({ kind, supersededBy })).toBe(isOpen)
})

it.each([
  ['broadcast', alert.broadcastAt, true],
  ['not broadcast', null, false],
])('createDraft: of an alert that was %s, selects the same for its correction', (_, broadcastAt, isSelected) => {
  expect(createDraft({ ...alert, broadcastAt }).broadcast).toBe(isSelected)
})

describe('createCorrectionForm', () => {
  it('rejects a correction without changes', () => {
    for (const unchangedDraft of [draft, { ...draft, asset: ' ETH/USDT ' }, { ...draft, broadcast: false }]) {
      expect(listChanges(alert, unchangedDraft)).toEqual([])
      expect(createCorrectionForm(alert).safeParse(unchangedDraft).error?.issues[0]?.message).toMatch(
        /^Change at least/,
      )
    }
  })

  it('is not needed by listChanges, which returns an empty list while a field of the draft is invalid', () => {
    expect(listChanges(alert, { ...draft, asset: '', summary: 'Other' })).toEqual([])
  })

  it('accepts changed fields, which listChanges returns with old and new values', () => {
    const changedDraft = { ...draft, confidence: '90', regime: 'Range', anomalyType: '' }
    expect(listChanges(alert, changedDraft).map(({ label, before, after }) => [label, before, after])).toEqual([
      ['Anomaly type', 'Volume spike', 'none'],
      ['Confidence', '97.3%', '90%'],
      ['Regime', 'none', 'Range'],
    ])
    expect(createCorrectionForm(alert).parse(changedDraft)).toMatchObject({
      confidence: 90,
      regime: 'Range',
      broadcast: true,
    })
  })
})

describe('createRetractionForm', () => {
  const form = createRetractionForm(1012)
  const validInput = { reason: ' The venue had halted. ', typed: '#1,012', broadcast: true }

  it.each([
    [{ reason: ' ' }, 'reason', /^Enter a reason/],
    [{ reason: 'x'.repeat(1001) }, 'reason', /^At most 1,000/],
    [{ typed: '' }, 'typed', /^Type 1012/],
    [{ typed: '101' }, 'typed', /^Type 1012/],
    [{ typed: '10120' }, 'typed', /^Type 1012/],
  ])('rejects %o', (changes, field, message) => {
    const issues = form.safeParse({ ...validInput, ...changes }).error?.issues
    expect(issues?.map(({ path }) => path.join())).toEqual([field])
    expect(issues?.[0]?.message).toMatch(message)
  })

  it.each(['1012', ' #1012', '#1,012'])('accepts %j as the typed alert number', (typedNumber) => {
    expect(form.parse({ ...validInput, typed: typedNumber }).reason).toBe('The venue had halted.')
  })
})
