import { type AlertStatement, encodeAlert, hexToBytes } from '@tocsin/proof'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../refusal.ts'
import { type AlertContent, type NewAlert, noTarget } from './alert.ts'
import { decideIssues, type Issue, type TargetRow } from './issue.ts'

const content: AlertContent = {
  asset: 'ETH/USDT',
  priority: 'high',
  anomalyType: 'volume',
  regime: 'calm',
  summary: 'Volume above its mean',
  confidence: 97.3,
}
const statement: AlertStatement = {
  ...content,
  kind: 'alert',
  index: 5,
  id: '01990000-0000-7000-8000-000000000000',
  createdAt: '2026-01-15T12:00:00.000Z',
  origin: 'admin',
  signalHash: null,
  signer: `0x${'1'.repeat(40)}`,
  targetIndex: null,
  targetLeafHash: null,
  salt: `0x${'2'.repeat(32)}`,
}
const leafHash = `0x${'3'.repeat(64)}` as const
const createRow = (id: string, change: Partial<TargetRow> = {}): [string, TargetRow] => [
  id,
  {
    id,
    logIndex: 5,
    kind: 'alert',
    bytes: encodeAlert(statement),
    leafHash: hexToBytes(leafHash),
    isRetracted: false,
    ...change,
  },
]
const storedState = {
  signals: new Map([['stored', 'stored alert']]),
  targets: new Map([
    createRow('alert'),
    createRow('other'),
    createRow('correction', { kind: 'correction' }),
    createRow('retraction', { kind: 'retraction' }),
    createRow('retracted', { isRetracted: true }),
  ]),
}

const alert: NewAlert = { content, origin: 'feed', broadcast: true }
const createSignalAlert = (signalId: string): NewAlert => ({ ...alert, signalId })
const createCorrection = (targetId: string) => ({ kind: 'correction' as const, targetId, content, broadcast: true })
const createRetraction = (targetId: string) => ({
  kind: 'retraction' as const,
  targetId,
  reason: 'Test',
  broadcast: true,
})

/**
 * Formats each decision as text: `log` and the kind of a new entry, the alert that is already
 * stored for the signal, `same as` and the position of an equal issue, or the code and message of a
 * refusal.
 */
function decideAsText(issues: readonly Issue[]): string[] {
  return decideIssues(issues, storedState).map((decision) => {
    if ('refusal' in decision) return `${decision.refusal.code}: ${decision.refusal.message}`
    if ('stored' in decision) return decision.stored
    return 'sameAs' in decision ? `same as ${decision.sameAs}` : `log ${decision.target.kind}`
  })
}

const formatRetractionRefusal = (participle: string) =>
  `alert_retracted: This is a retraction: it cannot be ${participle}`
const formatRetractedRefusal = (participle: string) =>
  `alert_retracted: This alert has been retracted and can no longer be ${participle}`

describe('decideIssues: rejects', () => {
  test.each<[string, Issue[], string[]]>([
    ['a correction when its alert is unknown', [createCorrection('x')], ['not_found: Alert not found']],
    ['a retraction when its alert is unknown', [createRetraction('x')], ['not_found: Alert not found']],
    [
      'a correction when its alert is a retraction',
      [createCorrection('retraction')],
      [formatRetractionRefusal('corrected')],
    ],
    [
      'a retraction when its alert is a retraction',
      [createRetraction('retraction')],
      [formatRetractionRefusal('retracted')],
    ],
    [
      'a correction when its alert is retracted',
      [createCorrection('retracted')],
      [formatRetractedRefusal('corrected')],
    ],
    [
      'a retraction when its alert is retracted',
      [createRetraction('retracted')],
      [formatRetractedRefusal('retracted')],
    ],
    [
      'every issue after a retraction when they have one target',
      [createCorrection('alert'), createRetraction('alert'), createRetraction('alert'), createCorrection('alert')],
      ['log correction', 'log retraction', formatRetractedRefusal('retracted'), formatRetractedRefusal('corrected')],
    ],
  ])('%s', (_name, issues, expected) => {
    expect(decideAsText(issues)).toEqual(expected)
    for (const decision of decideIssues(issues, storedState)) {
      if ('refusal' in decision) expect(decision.refusal).toBeInstanceOf(Refusal)
    }
  })
})

describe('decideIssues: accepts', () => {
  test.each<[string, Issue[], string[]]>([
    ['every alert without a signal', [alert, alert], ['log alert', 'log alert']],
    ['the stored alert when the signal is known', [createSignalAlert('stored'), alert], ['stored alert', 'log alert']],
    [
      'the first alert of the list when its signal is repeated',
      [createSignalAlert('a'), createSignalAlert('a')],
      ['log alert', 'same as 0'],
    ],
    [
      'the first alert of a signal when the list repeats it',
      [alert, createSignalAlert('a'), createSignalAlert('b'), createSignalAlert('a'), createSignalAlert('a')],
      ['log alert', 'log alert', 'log alert', 'same as 1', 'same as 1'],
    ],
    [
      'several corrections of an alert',
      [createCorrection('alert'), createCorrection('alert')],
      ['log correction', 'log correction'],
    ],
    ['a retraction of a correction', [createRetraction('correction')], ['log retraction']],
    [
      'a correction when another alert is retracted',
      [createRetraction('alert'), createCorrection('other')],
      ['log retraction', 'log correction'],
    ],
  ])('%s', (_name, issues, expected) => {
    expect(decideAsText(issues)).toEqual(expected)
  })
})

describe('decideIssues: logs', () => {
  const alsoWrite = async () => {}
  const target = { targetIndex: 5, targetLeafHash: leafHash }
  const changedContent = { ...content, summary: 'Volume below its mean' }
  test.each<[string, Issue, object]>([
    ['an alert as given', alert, { newAlert: alert, target: noTarget }],
    [
      'the new content of a correction',
      { ...createCorrection('alert'), content: changedContent, alsoWrite },
      {
        newAlert: { content: changedContent, origin: 'admin', broadcast: true, alsoWrite },
        target: { kind: 'correction', ...target },
      },
    ],
    [
      'the content of the target with the reason of a retraction',
      { ...createRetraction('alert'), broadcast: false },
      {
        newAlert: { content: { ...content, summary: 'Test' }, origin: 'admin', broadcast: false },
        target: { kind: 'retraction', ...target },
      },
    ],
  ])('%s', (_name, issue, expected) => {
    expect(decideIssues([issue], storedState)).toStrictEqual([expected])
  })
})
