import { describe, expect, it } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import { type AlertCopy, readAlertText, readClaim } from './claim.ts'
import { createBundles, createRequests } from './claim-variants.ts'
import { missingFields } from './complete-alert.ts'
import type { Draft } from './draft.ts'

const held: AlertCopy = {
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
const draft: Draft = { alertText: JSON.stringify(held), signature: '0x6457', transaction: '0x6a61' }
const without = (key: keyof AlertCopy) => {
  const { [key]: _gone, ...rest } = held
  return JSON.stringify(rest)
}
const withField = (key: keyof AlertCopy, value: unknown) => JSON.stringify({ ...held, [key]: value })

describe('readAlertText', () => {
  it.each([
    ['  ', 'The alert JSON is missing'],
    ['{"id": 1', /^The alert is not valid JSON: ./],
    ['[]', 'The alert JSON must be one alert: an object in braces'],
    ['null', 'The alert JSON must be one alert: an object in braces'],
    ['"text"', 'The alert JSON must be one alert: an object in braces'],
    [without('summary'), 'In the alert JSON, “summary” is missing'],
    [without('merklePath'), 'In the alert JSON, “merklePath” is missing'],
    [withField('confidence', '97.3'), 'In the alert JSON, “confidence” must be a number'],
    [withField('asset', 5), 'In the alert JSON, “asset” must be text'],
    [withField('root', 5), 'In the alert JSON, “root” must be text'],
    [withField('merklePath', 'x'), 'In the alert JSON, “merklePath” must be a list'],
    [withField('merklePath', ['0x', 5]), 'In the alert JSON, “merklePath.1” must be text'],
    [withField('summary', 'x'.repeat(4001)), 'In the alert JSON, “summary” is too long'],
    [withField('signature', 5), 'In the alert JSON, “signature” must be text'],
    ['{}', /“id” is missing, “asset” is missing, “priority” is missing and \d+ more$/],
    ['{"__proto__": 1}', /“id” is missing/],
  ])('rejects %s', (text, problem) => {
    const read = readAlertText(text)
    expect('problem' in read && read.problem).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    )
  })

  it('accepts an alert with only the fields of the specification; missingFields lists the others', () => {
    const { id, asset, priority, summary, confidence, regime, anomalyType, createdAt } = held
    const { signature, merklePath, avalancheTx } = held
    const specified = { id, asset, priority, summary, confidence, regime, anomalyType, createdAt }
    const text = JSON.stringify({ ...specified, signature, merklePath, avalancheTx })
    const read = readAlertText(text)
    if ('problem' in read) throw new Error(read.problem)
    expect(missingFields(read.alert)).toEqual([
      'origin',
      'signalHash',
      'signer',
      'logIndex',
      'leafHash',
      'treeSize',
      'root',
    ])
    expect(missingFields(held)).toEqual([])
  })

  it('drops unknown keys', () => {
    expect(readAlertText(JSON.stringify({ ...held, note: 'mine' }))).toEqual({ alert: held, bundle: null })
  })
})

describe('readClaim', () => {
  const read = (changes: Partial<Draft>) => readClaim({ ...draft, ...changes })

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
    expect(read(changes)).toEqual({ problems })
  })

  it('allows an empty transaction when the alert says that it has none yet', () => {
    expect(read({ alertText: withField('avalancheTx', null), transaction: '' })).toMatchObject({ transaction: '' })
  })

  it('returns a claim', () => {
    expect(read({ signature: ' 0x6457\n' })).toEqual({
      alert: held,
      bundle: null,
      signature: '0x6457',
      transaction: '0x6a61',
    })
  })
})

describe('createRequests', () => {
  const { signature: _s, avalancheTx: _t, anchoredAt: _a, merklePath, ...content } = held
  const base = { alertId: 'a-5', merklePath, alert: content }

  it('returns one request with the whole content when fields and text agree', () => {
    expect(createRequests({ alert: held, bundle: null, signature: '0x6457', transaction: '0x6a61' })).toEqual([
      { ...base, signature: '0x6457', avalancheTx: '0x6a61' },
    ])
  })

  it.each([
    ['signature', { signature: '0x00' }, { signature: '0x00', avalancheTx: '0x6a61' }],
    ['transaction', { avalancheTx: '0x00' }, { signature: '0x6457', avalancheTx: '0x00' }],
    ['missing anchor', { avalancheTx: null }, { signature: '0x6457', avalancheTx: '' }],
  ])('adds a request with the %s of the text when it differs from the field', (_, changes, own) => {
    expect(
      createRequests({ alert: { ...held, ...changes }, bundle: null, signature: '0x6457', transaction: '0x6a61' }),
    ).toEqual([
      { ...base, signature: '0x6457', avalancheTx: '0x6a61' },
      { ...base, ...own },
    ])
  })

  it('uses the fields when the text has neither signature nor transaction', () => {
    const { signature: _signature, avalancheTx: _transaction, ...bare } = held
    expect(createRequests({ alert: bare, bundle: null, signature: '0x1', transaction: '0x2' })).toEqual([
      { ...base, signature: '0x1', avalancheTx: '0x2' },
    ])
  })
})

describe('a proof file', () => {
  const { bundle } = vectors
  const withAlert = (changes: object) => ({ ...bundle, alert: { ...bundle.alert, ...changes } })

  it.each([
    [{ ...bundle, version: 3 }, /^The proof file can’t be used\. .*version is not 1 or 2/],
    [{ ...bundle, keys: 'none' }, /^The proof file can’t be used\. .*not a list/],
    [{ ...bundle, alert: null }, /^The proof file can’t be used\. .*not an object/],
    [withAlert({ summary: undefined }), /^In the alert JSON, “summary” is missing$/],
    [withAlert({ confidence: '9' }), /^In the alert JSON, “confidence” must be a number$/],
  ])('is rejected when invalid: %#', (value, problem) => {
    const read = readAlertText(JSON.stringify(value))
    expect('problem' in read && read.problem).toMatch(problem)
  })

  it('is returned by readAlertText as a bundle with its alert', () => {
    const read = readAlertText(JSON.stringify(bundle))
    expect(read).toMatchObject({ alert: { logIndex: bundle.alert.logIndex }, bundle })
  })

  it('is also checked with the signature and transaction of the form when they differ', () => {
    const read = readAlertText(JSON.stringify(bundle))
    if ('problem' in read || !read.bundle) throw new Error('Not parsed')
    const { signature, avalancheTx } = bundle.alert
    const same = createBundles({ ...read, signature, transaction: avalancheTx }, read.bundle)
    expect(same.map(({ alert }) => [alert.signature, alert.avalancheTx])).toEqual([[signature, avalancheTx]])
    const typed = createBundles({ ...read, signature: '0x00', transaction: '' }, read.bundle)
    expect(typed.map(({ alert }) => [alert.signature, alert.avalancheTx])).toEqual([
      ['0x00', null],
      [signature, avalancheTx],
    ])
  })
})
