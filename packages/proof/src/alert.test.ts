import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AlertStatement, decodeAlert, encodeAlert, parseAlert } from './alert.ts'
import { checksumAddress, equalBytes } from './hex.ts'

const statement: AlertStatement = {
  kind: 'alert',
  index: 41,
  id: 'a-41',
  asset: 'BTC/USD',
  priority: 'high',
  anomalyType: 'Volume Spike',
  regime: 'Trending',
  summary: 'Volume “4.1×” its mean\nover 5 min € 😀',
  confidence: 87.5,
  createdAt: '2025-01-16T09:30:00.123Z',
  origin: 'feed',
  signalHash: `0x${'ab'.repeat(32)}`,
  signer: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  targetIndex: null,
  targetLeafHash: null,
}

const correction: AlertStatement = {
  ...statement,
  kind: 'correction',
  targetIndex: 40,
  targetLeafHash: `0x${'cd'.repeat(32)}`,
}

const canonical =
  '{"anomalyType":"Volume Spike","asset":"BTC/USD","confidence":87.5,"createdAt":"2025-01-16T09:30:00.123Z",' +
  '"id":"a-41","index":41,"kind":"alert","origin":"feed","priority":"high","regime":"Trending",' +
  `"signalHash":"0x${'ab'.repeat(32)}","signer":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",` +
  '"summary":"Volume “4.1×” its mean\\nover 5 min € 😀","v":1}'

const canonicalCorrection = canonical
  .replace('"kind":"alert"', '"kind":"correction"')
  .replace('"v":1}', `"targetIndex":40,"targetLeafHash":"0x${'cd'.repeat(32)}","v":1}`)

const saltedStatement: AlertStatement = { ...statement, salt: `0x${'5a'.repeat(16)}` }
const saltedCanonical = canonical
  .replace('"signalHash"', `"salt":"0x${'5a'.repeat(16)}","signalHash"`)
  .replace('"v":1', '"v":2')

const refusedValues: [field: keyof AlertStatement, values: unknown[]][] = [
  ['kind', ['keys', 'Alert', '', null, 7]],
  ['targetIndex', [0, 40]],
  ['targetLeafHash', [`0x${'cd'.repeat(32)}`, '']],
  ['index', [-1, -0, 0.5, 2 ** 53, Number.NaN, '41', undefined, null]],
  ['id', [undefined, null, 7, '\ud800', 'a\udc00b']],
  ['asset', ['\udfff']],
  ['summary', ['\ude00\ud83d', {}]],
  ['priority', ['urgent', 'High', '', ['high']]],
  ['confidence', [-0, -0.1, 100.1, 87.55, 0.1 + 0.2, Number.NaN, Number.POSITIVE_INFINITY, '87.5']],
  ['origin', ['', 'model', null]],
  ['salt', ['', '0x', `0x${'5A'.repeat(16)}`, `0x${'5a'.repeat(15)}`, `0x${'5a'.repeat(17)}`, '5a'.repeat(16), 7, {}]],
  ['signalHash', [null, undefined, '', `0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(31)}`, `0x${'00'.repeat(32)}`]],
  ['signer', ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', null]],
  [
    'createdAt',
    [
      '2025-01-16T09:30:00Z',
      '2025-01-16T09:30:00.123+00:00',
      '2025-02-30T09:30:00.123Z',
      '2025-01-16T24:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '+275760-09-13T00:00:00.000Z',
      1737019800123,
    ],
  ],
]

describe('encodeAlert', () => {
  it.each(refusedValues.flatMap(([field, values]) => values.map((value) => ({ field, value }))))(
    'rejects $field $value',
    ({ field, value }) => {
      expect(() => parseAlert({ ...statement, [field]: value })).toThrow(`The alert's ${field} is not`)
    },
  )

  it.each([
    { targetIndex: null },
    { targetIndex: undefined },
    { targetIndex: 41 },
    { targetIndex: 42 },
    { targetIndex: -1 },
    { targetIndex: -0 },
    { targetIndex: 39.5 },
    { targetIndex: '40' },
    { targetLeafHash: null },
    { targetLeafHash: `0x${'CD'.repeat(32)}` },
    { targetLeafHash: `0x${'cd'.repeat(31)}` },
  ])('rejects a correction with %j', (change) => {
    const [field] = Object.keys(change)
    expect(() => parseAlert({ ...correction, ...change })).toThrow(`The alert's ${field} is not`)
    expect(() => parseAlert({ ...correction, kind: 'retraction', ...change })).toThrow(`The alert's ${field} is not`)
  })

  it.each([null, undefined, 'alert', 7])('rejects %j, which is not an object', (value) => {
    expect(() => parseAlert(value)).toThrow('not an object')
  })

  it('rejects a signal hash on an alert by an admin', () => {
    expect(() => encodeAlert({ ...statement, origin: 'admin' })).toThrow('signalHash')
  })

  it('writes canonical JSON (JCS): sorted keys, numbers in their shortest form, UTF-8', () => {
    expect(bytesToUtf8(encodeAlert(statement))).toBe(canonical)
  })

  it('writes the target of a correction or retraction', () => {
    expect(bytesToUtf8(encodeAlert(correction))).toBe(canonicalCorrection)
    const retraction = { ...correction, kind: 'retraction' as const }
    expect(bytesToUtf8(encodeAlert(retraction))).toBe(canonicalCorrection.replace('"correction"', '"retraction"'))
  })

  it('writes version 2 with a salt and version 1 without', () => {
    expect(bytesToUtf8(encodeAlert(saltedStatement))).toBe(saltedCanonical)
    expect(decodeAlert(utf8ToBytes(saltedCanonical))).toEqual(saltedStatement)
    expect(parseAlert({ ...statement, salt: null })).toEqual(statement)
  })

  it('accepts an alert without kind and target', () => {
    const { kind: _kind, targetIndex: _index, targetLeafHash: _hash, ...statementWithoutKind } = statement
    expect(parseAlert(statementWithoutKind)).toEqual(statement)
  })

  it('drops unknown fields', () => {
    const withUnknownFields = { ...statement, signature: '0x', toJSON: () => 'nothing' }
    expect(encodeAlert(withUnknownFields)).toEqual(encodeAlert(statement))
  })

  it('accepts each confidence from 0 to 100 percent that is a multiple of 0.1', () => {
    for (let tenths = 0; tenths <= 1000; tenths++) {
      const confidence = tenths / 10
      expect(decodeAlert(encodeAlert({ ...statement, confidence })).confidence).toBe(confidence)
    }
  })
})

describe('decodeAlert', () => {
  it.each([
    ['a space', canonical.replace(':', ': ')],
    ['another key order', canonical.replace('"index":41,"kind":"alert"', '"kind":"alert","index":41')],
    ['an unknown key', canonical.replace('"v":1', '"v":1,"w":1')],
    ['a duplicate key', canonical.replace('"v":1', '"v":1,"v":1')],
    ['another version', canonical.replace('"v":1', '"v":3')],
    ['version 2 without a salt', canonical.replace('"v":1', '"v":2')],
    ['version 1 with a salt', saltedCanonical.replace('"v":2', '"v":1')],
    ['a salt of null', saltedCanonical.replace(/"salt":"\w+"/, '"salt":null')],
    ['another kind', canonical.replace('"kind":"alert"', '"kind":"other"')],
    ['a target on an alert', canonical.replace('"v":1', '"targetIndex":null,"targetLeafHash":null,"v":1')],
    ['no kind', canonical.replace('"kind":"alert",', '')],
    ['a correction without its target', canonical.replace('"kind":"alert"', '"kind":"correction"')],
    ['a misspelt target', canonicalCorrection.replace('"targetIndex"', '"targetindex"')],
    ['a trailing zero', canonical.replace('87.5', '87.50')],
    ['an exponent', canonical.replace('"index":41', '"index":4.1e1')],
    ['an escaped letter', canonical.replace('Trending', '\\u0054rending')],
    ['a byte order mark', `\ufeff${canonical}`],
    ['a trailing newline', `${canonical}\n`],
    ['invalid JSON', canonical.slice(1)],
  ])('rejects %s', (_, text) => {
    expect(text).not.toBe(canonical)
    expect(() => decodeAlert(utf8ToBytes(text))).toThrow()
  })

  it('rejects invalid UTF-8', () => {
    const bytes = encodeAlert(statement)
    bytes[bytes.indexOf(0xe2)] = 0xff
    expect(() => decodeAlert(bytes)).toThrow('canonical')
  })

  it('round-trips every statement, and encodes different statements differently', () => {
    fc.assert(
      fc.property(statements, statements, (one, other) => {
        const [bytes, otherBytes] = [encodeAlert(one), encodeAlert(other)]
        expect(decodeAlert(bytes)).toEqual(one)
        expect(decodeAlert(otherBytes)).toEqual(other)
        expect(equalBytes(bytes, otherBytes)).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
      // Each run tests two alerts, so 300 runs are enough.
      { numRuns: 300 },
    )
  })
})

const hostileStrings = [
  '__proto__',
  'toString',
  '\u0000\u001b[31m',
  '\u2028\u2029',
  '\ufeff',
  '\ufffd',
  '"\\/\b\f\n\r\t',
  '</script>',
  'ﷺ',
  'e\u0301é',
  '👩‍👩‍👧‍👦',
  '-0',
  'null',
  '\u202e1.0',
]
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...hostileStrings),
)
const hash = fc.stringMatching(/^0x1[0-9a-f]{63}$/).map((digits): `0x${string}` => `0x${digits.slice(2)}`)
const source = fc.oneof(
  fc.record({ origin: fc.constantFrom('feed', 'demo'), signalHash: hash }),
  fc.record({ origin: fc.constantFrom('admin', 'demo'), signalHash: fc.constant(null) }),
)
const statements = fc
  .record({
    index: fc.maxSafeNat(),
    id: text,
    asset: text,
    priority: fc.constantFrom('low', 'medium', 'high', 'critical'),
    anomalyType: text,
    regime: text,
    summary: text,
    confidence: fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
    createdAt: fc
      .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    signer: fc.stringMatching(/^0x[0-9a-f]{40}$/).map(checksumAddress),
  })
  .chain(
    (rest): fc.Arbitrary<AlertStatement> =>
      fc.tuple(source, createTargetBelow(rest.index)).map(([from, target]) => ({ ...rest, ...from, ...target })),
  )

function createTargetBelow(
  index: number,
): fc.Arbitrary<Pick<AlertStatement, 'kind' | 'targetIndex' | 'targetLeafHash'>> {
  const noTarget = fc.record({
    kind: fc.constant('alert' as const),
    targetIndex: fc.constant(null),
    targetLeafHash: fc.constant(null),
  })
  if (index === 0) return noTarget
  return fc.oneof(
    noTarget,
    fc.record({
      kind: fc.constantFrom('correction' as const, 'retraction' as const),
      targetIndex: fc.maxSafeNat().map((number) => number % index),
      targetLeafHash: hash,
    }),
  )
}
