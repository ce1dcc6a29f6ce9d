import { describe, expect, it } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import { type AlertCopy, readAlertText, readClaim } from './claim.ts'
import { createBundles, createRequests } from './claim-variants.ts'
import { listMissingFields } from './complete-alert.ts'
import type { Draft } from './draft.ts'

const alertCopy: AlertCopy = {
  id: 'a-5',
  asset: 'ETH/USDT',
  priority: 'critical',
  summary: 'Spot volume reached 4.1× its 7-day norm',
  confidence: 97.3,
  regime: 'High volatility',
  anomalyType: 'Volume spike',
  createdAt: '2026-11-21T14:32:14.200Z',
  origin: 'feed',
  signalHash: null,
  signer: '0x4B19',
  logIndex: 18_499,
  leafHash: '0x46f7',
  treeSize: 18_508,
  root: '0x8059',
  merklePath: ['0x9614', '0xc0fe'],
  signature: '0x6457',
  avalancheTx: '0x6a61',
  anchoredAt: '2026-11-21T14:32:17.000Z',
}
const draft: Draft = { alertText: JSON.stringify(alertCopy), signature: '0x6457', transaction: '0x6a61' }
const encodeWithoutField = (key: keyof AlertCopy) => {
  const { [key]: _gone, ...remainingFields } = alertCopy
  return JSON.stringify(remainingFields)
}
const encodeWithField = (key: keyof AlertCopy, value: unknown) => JSON.stringify({ ...alertCopy, [key]: value })

describe('readAlertText', () => {
  it.each([
    ['  ', 'The alert JSON is missing'],
    ['{"id": 1', /^The alert is not valid JSON: ./],
    ['[]', 'The alert JSON must be one alert: an object in braces'],
    ['null', 'The alert JSON must be one alert: an object in braces'],
    ['"text"', 'The alert JSON must be one alert: an object in braces'],
    [encodeWithoutField('summary'), 'In the alert JSON, “summary” is missing'],
    [encodeWithoutField('merklePath'), 'In the alert JSON, “merklePath” is missing'],
    [encodeWithField('confidence', '97.3'), 'In the alert JSON, “confidence” must be a number'],
    [encodeWithField('asset', 5), 'In the alert JSON, “asset” must be text'],
    [encodeWithField('root', 5), 'In the alert JSON, “root” must be text'],
    [encodeWithField('merklePath', 'x'), 'In the alert JSON, “merklePath” must be a list'],
    [encodeWithField('merklePath', ['0x', 5]), 'In the alert JSON, “merklePath.1” must be text'],
    [encodeWithField('summary', 'x'.repeat(4001)), 'In the alert JSON, “summary” is too long'],
    [encodeWithField('signature', 5), 'In the alert JSON, “signature” must be text'],
    ['{}', /“id” is missing, “asset” is missing, “priority” is missing and \d+ more$/],
    ['{"__proto__": 1}', /“id” is missing/],
  ])('rejects %s', (text, problem) => {
    const parsedText = readAlertText(text)
    expect('problem' in parsedText && parsedText.problem).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    )
  })

  it('accepts an alert with only the fields of the specification, and listMissingFields returns the other fields', () => {
    const { id, asset, priority, summary, confidence, regime, anomalyType, createdAt } = alertCopy
    const { signature, merklePath, avalancheTx } = alertCopy
    const specifiedFields = { id, asset, priority, summary, confidence, regime, anomalyType, createdAt }
    const text = JSON.stringify({ ...specifiedFields, signature, merklePath, avalancheTx })
    const parsedText = readAlertText(text)
    if ('problem' in parsedText) throw new Error(parsedText.problem)
    expect(listMissingFields(parsedText.alert)).toEqual([
      'origin',
      'signalHash',
      'signer',
      'logIndex',
      'leafHash',
      'treeSize',
      'root',
    ])
    expect(listMissingFields(alertCopy)).toEqual([])
  })

  it('drops unknown keys', () => {
    expect(readAlertText(JSON.stringify({ ...alertCopy, note: 'mine' }))).toEqual({ alert: alertCopy, bundle: null })
  })
})

describe('readClaim', () => {
  const readChangedClaim = (changes: Partial<Draft>) => readClaim({ ...draft, ...changes })

  it.each<[Partial<Draft>, Partial<Draft>]>([
    [{ alertText: '' }, { alertText: 'The alert JSON is missing' }],
    [{ signature: ' ' }, { signature: 'The signature is missing' }],
    [{ signature: 'x'.repeat(4097) }, { signature: 'The signature is too long' }],
    [{ transaction: '' }, { transaction: 'The transaction is missing' }],
    [{ transaction: 'x'.repeat(201) }, { transaction: 'The transaction is too long' }],
    [
      { alertText: '', signature: '', transaction: '' },
      {
        alertText: 'The alert JSON is missing',
        signature: 'The signature is missing',
        transaction: 'The transaction is missing',
      },
    ],
  ])('reports the problems of %o', (changes, problems) => {
    expect(readChangedClaim(changes)).toEqual({ problems })
  })

  it('allows an empty transaction when avalancheTx of the alert is null', () => {
    expect(readChangedClaim({ alertText: encodeWithField('avalancheTx', null), transaction: '' })).toMatchObject({
      transaction: '',
    })
  })

  it('returns a claim with trimmed fields when the draft is valid', () => {
    expect(readChangedClaim({ signature: ' 0x6457\n' })).toEqual({
      alert: alertCopy,
      bundle: null,
      signature: '0x6457',
      transaction: '0x6a61',
    })
  })
})

describe('createRequests', () => {
  const { signature: _s, avalancheTx: _t, anchoredAt: _a, merklePath, ...content } = alertCopy
  const base = { alertId: 'a-5', merklePath, alert: content }

  it('returns one request with the whole content when the form fields match the alert text', () => {
    expect(createRequests({ alert: alertCopy, bundle: null, signature: '0x6457', transaction: '0x6a61' })).toEqual([
      { ...base, signature: '0x6457', avalancheTx: '0x6a61' },
    ])
  })

  it.each([
    ['signature', { signature: '0x00' }, { signature: '0x00', avalancheTx: '0x6a61' }],
    ['transaction', { avalancheTx: '0x00' }, { signature: '0x6457', avalancheTx: '0x00' }],
    ['missing anchor', { avalancheTx: null }, { signature: '0x6457', avalancheTx: '' }],
  ])('adds a request with the %s of the alert text when the form field differs', (_, changes, addedFields) => {
    expect(
      createRequests({ alert: { ...alertCopy, ...changes }, bundle: null, signature: '0x6457', transaction: '0x6a61' }),
    ).toEqual([
      { ...base, signature: '0x6457', avalancheTx: '0x6a61' },
      { ...base, ...addedFields },
    ])
  })

  it('uses the form fields when the alert text has neither signature nor transaction', () => {
    const { signature: _signature, avalancheTx: _transaction, ...unsignedAlert } = alertCopy
    expect(createRequests({ alert: unsignedAlert, bundle: null, signature: '0x1', transaction: '0x2' })).toEqual([
      { ...base, signature: '0x1', avalancheTx: '0x2' },
    ])
  })
})

describe('a proof file', () => {
  const { bundle } = vectors
  const changeAlert = (changes: object) => ({ ...bundle, alert: { ...bundle.alert, ...changes } })

  it.each([
    [{ ...bundle, version: 3 }, /^The proof file can’t be used\. .*version is not 1 or 2/],
    [{ ...bundle, keys: 'none' }, /^The proof file can’t be used\. .*not a list/],
    [{ ...bundle, alert: null }, /^The proof file can’t be used\. .*not an object/],
    [changeAlert({ summary: undefined }), /^In the alert JSON, “summary” is missing$/],
    [changeAlert({ confidence: '9' }), /^In the alert JSON, “confidence” must be a number$/],
  ])('is rejected when invalid: %#', (value, problem) => {
    const parsedText = readAlertText(JSON.stringify(value))
    expect('problem' in parsedText && parsedText.problem).toMatch(problem)
  })

  it('is returned by readAlertText as a bundle with its alert', () => {
    const parsedText = readAlertText(JSON.stringify(bundle))
    expect(parsedText).toMatchObject({ alert: { logIndex: bundle.alert.logIndex }, bundle })
  })

  it('is also checked with the signature and transaction of the form when these differ from the file', () => {
    const parsedText = readAlertText(JSON.stringify(bundle))
    if ('problem' in parsedText || !parsedText.bundle) throw new Error('Not parsed')
    const { signature, avalancheTx } = bundle.alert
    const unchangedBundles = createBundles({ ...parsedText, signature, transaction: avalancheTx }, parsedText.bundle)
    expect(unchangedBundles.map(({ alert }) => [alert.signature, alert.avalancheTx])).toEqual([
      [signature, avalancheTx],
    ])
    const changedBundles = createBundles({ ...parsedText, signature: '0x00', transaction: '' }, parsedText.bundle)
    expect(changedBundles.map(({ alert }) => [alert.signature, alert.avalancheTx])).toEqual([
      ['0x00', null],
      [signature, avalancheTx],
    ])
  })
})
