import type { Alert, VerifyAlertResponse } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { changeOneCharacter, chooseAlert, describeCheck, toCheckRequest } from './public-check.ts'

const alert: Alert = {
  id: '01890a5d-ac96-774b-bcce-b302099a8058',
  kind: 'alert',
  asset: 'ETH/USDT',
  priority: 'high',
  summary: 'Volume at 4.1 times its norm.',
  confidence: 91.5,
  regime: '',
  anomalyType: 'Volume spike',
  createdAt: '2026-11-20T10:00:00.000Z',
  origin: 'feed',
  signalHash: null,
  targetIndex: null,
  targetLeafHash: null,
  signer: '0x1',
  signature: '0x2',
  logIndex: 7,
  leafHash: '0x3',
  merklePath: ['0x4'],
  treeSize: 9,
  root: '0x5',
  avalancheTx: '0x6',
  anchoredAt: '2026-11-20T10:00:03.000Z',
  supersededBy: null,
}
const correctedAlert: Alert = { ...alert, id: 'b', supersededBy: { logIndex: 9, id: 'c', kind: 'correction' } }
const correction: Alert = { ...alert, id: 'c', kind: 'correction' }
const lowAlert: Alert = { ...alert, id: 'e', priority: 'low' }
const unanchoredAlert: Alert = { ...alert, id: 'd', avalancheTx: null }

test.each([
  [[], undefined],
  [[unanchoredAlert], 'd'],
  [[correction, correctedAlert, unanchoredAlert, alert], alert.id],
  [[correction, correctedAlert, unanchoredAlert, lowAlert], 'e'],
  [[lowAlert, { ...lowAlert, id: 'f' }], 'e'],
  [[lowAlert, alert, { ...alert, id: 'g', priority: 'critical' } as const], alert.id],
])('chooseAlert: prefers the newest urgent alert that is anchored and not corrected: case %#', (alerts, id) => {
  expect(chooseAlert(alerts)?.id).toBe(id)
})

test.each([
  ['Volume at 4.1 times', 'Volume at 5.1 times', 10],
  ['at 9 and 0', 'at 1 and 0', 3],
  ['no digit', 'Xo digit', 0],
  ['X marks', 'Y marks', 0],
])('changeOneCharacter: changes "%s" to "%s"', (summary, changedText, at) => {
  expect(changeOneCharacter({ ...alert, summary })).toEqual({ alert: { ...alert, summary: changedText }, at })
})

test('toCheckRequest: includes the content of the alert, and an empty transaction when the alert is not anchored', () => {
  const { anchoredAt: _at, supersededBy: _by, signature, merklePath, avalancheTx: _tx, ...content } = unanchoredAlert
  expect(toCheckRequest(unanchoredAlert)).toEqual({
    alertId: 'd',
    signature,
    merklePath,
    avalancheTx: '',
    alert: content,
  })
})

const createResponse = (verdict: VerifyAlertResponse['verdict']): VerifyAlertResponse => ({
  timeProven: null,
  valid: verdict === 'verified',
  verdict,
  checks: {
    signature: { valid: true, reason: '' },
    merklePath: { valid: true, reason: '' },
    anchor: { valid: true, reason: '' },
  },
  steps: [],
  failedStep: verdict === 'failed' ? 3 : null,
  reason: verdict === 'failed' ? 'The path ends elsewhere' : null,
  chainTime: verdict === 'verified' ? '2026-11-20T10:00:03.000Z' : null,
  blockNumber: null,
  confirmations: null,
  rungs: [],
})

test.each([
  [null, 'Not checked yet', 'unsigned'],
  [createResponse('failed'), 'Failed at step 3', 'failed'],
  [createResponse('unavailable'), 'Cannot check now', 'signed'],
  [createResponse('not-anchored'), 'Not yet anchored', 'signed'],
  [createResponse('verified'), 'Verified', 'anchored'],
])('describeCheck: shows the anchored seal only for a verified alert: case %#', (checkResponse, word, seal) => {
  expect(describeCheck(alert, checkResponse)).toMatchObject({ word, seal })
})

test('describeCheck: states the reason of a failed check, and the time until anchoring of a verified alert', () => {
  expect(describeCheck(alert, createResponse('failed')).sentence).toBe('The path ends elsewhere')
  expect(describeCheck(alert, createResponse('verified')).sentence).toBe('Anchored 3.0 s after issue.')
})
