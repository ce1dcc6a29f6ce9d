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
const row = (id: string, change: Partial<TargetRow> = {}): [string, TargetRow] => [
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
const known = {
  signals: new Map([['stored', 'stored alert']]),
  targets: new Map([
    row('alert'),
    row('other'),
    row('correction', { kind: 'correction' }),
    row('retraction', { kind: 'retraction' }),
    row('retracted', { isRetracted: true }),
  ]),
}

const alert: NewAlert = { content, origin: 'feed', broadcast: true }
const signal = (signalId: string): NewAlert => ({ ...alert, signalId })
const correct = (targetId: string) => ({ kind: 'correction' as const, targetId, content, broadcast: true })
const retract = (targetId: string) => ({ kind: 'retraction' as const, targetId, reason: 'Test', broadcast: true })

/**
 * Formats decisions as text. A new alert is `log` with the kind of its target, and a stored alert
 * is that alert. A duplicate is `same as` with the position of the equal issue. A refusal is its
 * code and message.
 */
function decideAsText(issues: readonly Issue[]): string[] {
  return decideIssues(issues, known).map((decision) => {
    if ('refusal' in decision) return `${decision.refusal.code}: ${decision.refusal.message}`
    if ('stored' in decision) return decision.stored
    return 'sameAs' in decision ? `same as ${decision.sameAs}` : `log ${decision.target.kind}`
  })
}

const isRetraction = (past: string) => `alert_retracted: This is a retraction: it cannot be ${past}`
const isRetracted = (past: string) => `alert_retracted: This alert has been retracted and can no longer be ${past}`

describe('decideIssues: rejects', () => {
  test.each<[string, Issue[], string[]]>([
    ['a correction when its alert is unknown', [correct('x')], ['not_found: Alert not found']],
    ['a retraction when its alert is unknown', [retract('x')], ['not_found: Alert not found']],
    ['a correction when its alert is a retraction', [correct('retraction')], [isRetraction('corrected')]],
    ['a retraction when its alert is a retraction', [retract('retraction')], [isRetraction('retracted')]],
    ['a correction when its alert is retracted', [correct('retracted')], [isRetracted('corrected')]],
    ['a retraction when its alert is retracted', [retract('retracted')], [isRetracted('retracted')]],
    [
      'every issue after a retraction when they have one target',
      [correct('alert'), retract('alert'), retract('alert'), correct('alert')],
      ['log correction', 'log retraction', isRetracted('retracted'), isRetracted('corrected')],
    ],
  ])('%s', (_name, issues, expected) => {
    expect(decideAsText(issues)).toEqual(expected)
    for (const decision of decideIssues(issues, known)) {
      if ('refusal' in decision) expect(decision.refusal).toBeInstanceOf(Refusal)
    }
  })
})

describe('decideIssues: accepts', () => {
  test.each<[string, Issue[], string[]]>([
    ['every alert without a signal', [alert, alert], ['log alert', 'log alert']],
    ['the stored alert when the signal is known', [signal('stored'), alert], ['stored alert', 'log alert']],
    ['the first alert of the list when its signal is repeated', [signal('a'), signal('a')], ['log alert', 'same as 0']],
    [
      'the first alert of a signal when the list repeats it',
      [alert, signal('a'), signal('b'), signal('a'), signal('a')],
      ['log alert', 'log alert', 'log alert', 'same as 1', 'same as 1'],
    ],
    ['several corrections of an alert', [correct('alert'), correct('alert')], ['log correction', 'log correction']],
    ['a retraction of a correction', [retract('correction')], ['log retraction']],
    [
      'a correction when another alert is retracted',
      [retract('alert'), correct('other')],
      ['log retraction', 'log correction'],
    ],
  ])('%s', (_name, issues, expected) => {
    expect(decideAsText(issues)).toEqual(expected)
  })
})

describe('decideIssues: logs', () => {
  const alsoWrite = async () => {}
  const target = { targetIndex: 5, targetLeafHash: leafHash }
  const changed = { ...content, summary: 'Volume below its mean' }
  test.each<[string, Issue, object]>([
    ['an alert as given', alert, { newAlert: alert, target: noTarget }],
    [
      'the new content of a correction',
      { ...correct('alert'), content: changed, alsoWrite },
      {
        newAlert: { content: changed, origin: 'admin', broadcast: true, alsoWrite },
        target: { kind: 'correction', ...target },
      },
    ],
    [
      'the content of the target with the reason of a retraction',
      { ...retract('alert'), broadcast: false },
      {
        newAlert: { content: { ...content, summary: 'Test' }, origin: 'admin', broadcast: false },
        target: { kind: 'retraction', ...target },
      },
    ],
  ])('%s', (_name, issue, expected) => {
    expect(decideIssues([issue], known)).toStrictEqual([expected])
  })
})
