import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestLog, getQuestion, testDomain, testSigners } from '../test/support/test-log.ts'
import { type ProofBundle, parseBundle } from './bundle.ts'
import { bytesToHex, checksumAddress } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import { verifyBundle } from './verify-bundle.ts'

/**
 * The tables of docs/log-format.md, chapter 8, define the verification result of a bundle in which
 * one field was changed. The test reads the expected results from these tables, so that document
 * and code cannot diverge. It also checks that vectors/bundle-fields.json has a mutation per cell.
 */

const [firstSigner = '0x'] = testSigners
const trust = { firstSigner, domain: testDomain }

const columns = ['null', 'missing', 'not of this form', 'another value'] as const
type Column = (typeof columns)[number]

interface Row {
  field: string
  /** The text after the field in the first cell, for example `of an alert`. */
  scope: string
  form: string
  cells: Record<Column, string>
}

const fieldChapter = /\n## 8\. .*?\n## 9\. /s.exec(
  readFileSync(new URL('../../../docs/log-format.md', import.meta.url), 'utf8'),
)?.[0]
const [bundleRows = [], entryRows = [], alertRows = []] = (fieldChapter ?? '').split('\n### ').slice(1).map(readTable)

function readTable(text: string): Row[] {
  return [...text.matchAll(/^\| `([\w.]+)` ?(.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$/gm)].map((row) => {
    const [, field = '', scope = '', form = '', ...cells] = row
    const getCell = (column: Column) => cells[columns.indexOf(column)] ?? ''
    return {
      field,
      scope,
      form,
      cells: {
        null: getCell('null'),
        missing: getCell('missing'),
        'not of this form': getCell('not of this form'),
        'another value': getCell('another value'),
      },
    }
  })
}

const salt = `0x${'5a'.repeat(16)}` as const
const log = createTestLog()
log.appendKeys()
log.appendAlert()
log.appendKeys()
log.appendAlert({ origin: 'feed', signalHash: `0x${'ab'.repeat(32)}` })
const target = bytesToHex(log.entries[1]?.leafHash ?? new Uint8Array())
log.appendAlert({ kind: 'correction', targetIndex: 1, targetLeafHash: target })
log.anchor()
log.appendAlert({ salt })
log.appendAlert({ kind: 'retraction', salt, targetIndex: 1, targetLeafHash: target })
log.appendAlert({ salt })
log.appendOutcome(3)
log.anchor()
const answers = log.answers()
const rpc: Rpc = async (method, params) => answers[getQuestion(method, params)] ?? null

const bundles = {
  alert: log.bundle(3),
  correction: log.bundle(4),
  'alert of version 2': log.bundle(5),
  'retraction of version 2': log.bundle(6),
}
type Name = keyof typeof bundles
const names: Name[] = ['alert', 'correction', 'alert of version 2', 'retraction of version 2']

const REMOVED_FIELD = Symbol('missing')

interface Mutation {
  name: Name
  path: string[]
  value: unknown
  column: Column
  expected: string
}

const createHashes = (count: number) => Array.from({ length: count }, () => `0x${'77'.repeat(32)}`)
const isIndex = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
const isHash = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
const isString = (value: unknown) => typeof value === 'string'

/**
 * The forms that the tables name. `has` tests whether a value has the form. `others` lists values
 * of the form with which the test replaces the valid value of a field.
 */
const fieldForms: Record<string, { has: (value: unknown) => boolean; others: (value: unknown) => unknown[] }> = {
  object: { has: (value) => typeof value === 'object' && value !== null && !Array.isArray(value), others: () => [] },
  'integer from 1 to 2^53 - 1': { has: (value) => isIndex(value) && value !== 0, others: () => [1, 2 ** 53 - 1] },
  address: {
    has: (value) =>
      typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) && checksumAddress(value.toLowerCase()) === value,
    others: () => testSigners.slice(2),
  },
  URL: {
    has: (value) => typeof value === 'string' && /^https?:\/\/[!-~]{1,2000}$/.test(value),
    others: () => ['http://a', 'https://node.example:1/x?y#z', `https://${'a'.repeat(2000)}`],
  },
  'list of at most 10,000 signed entries': { has: Array.isArray, others: (value) => [[], [value, value].flat()] },
  'list of at most 100 signed entries': { has: Array.isArray, others: (value) => [[], [value, value].flat()] },
  string: { has: isString, others: (value) => ['', '0x', ` ${value}`, '\ud800', toggleCase(value)] },
  hash: { has: isHash, others: () => createHashes(1) },
  'hash, or `null` by origin (2.1)': { has: isHash, others: () => createHashes(1) },
  index: { has: isIndex, others: (value) => [0, 7, Number(value) + 1, Number(value) + 2 ** 32, 2 ** 53 - 1] },
  'list of at most 53 hashes': {
    has: (value) => Array.isArray(value) && value.length <= 53 && value.every(isHash),
    others: (value) => [[], createHashes(1), createHashes(53), [value, createHashes(1)].flat()],
  },
  text: {
    has: (value) => typeof value === 'string' && !/[\ud800-\udfff]/u.test(value),
    others: (value) => ['', `${value} `, 'e\u0301', '\u0000', toggleCase(value)],
  },
  percent: {
    has: (value) => typeof value === 'number' && /^(\d{1,2}(\.\d)?|100)$/.test(String(value)) && !Object.is(value, -0),
    others: () => [0, 87.4, 100],
  },
  time: {
    has: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
    others: () => ['2025-01-16T09:30:00.001Z', '1970-01-01T00:00:00.000Z'],
  },
  '16 bytes in hex': {
    has: (value) => typeof value === 'string' && /^0x[0-9a-f]{32}$/.test(value),
    others: () => [`0x${'77'.repeat(16)}`],
  },
  '–': { has: () => false, others: () => [] },
}

/** Values of every JSON type, in many formats. */
const valuesOfOtherTypes: unknown[] = [
  true,
  false,
  -1,
  0.5,
  87.55,
  100.1,
  2 ** 53,
  1e300,
  '7',
  'x',
  `0x${'AB'.repeat(32)}`,
  `0x${'AB'.repeat(16)}`,
  `0x${'77'.repeat(31)}`,
  `0x${'77'.repeat(20)}`,
  firstSigner.toLowerCase(),
  'ftp://a',
  'https://',
  'HTTPS://a',
  'https://a b',
  'https://a\u00a0b',
  'https://ä',
  `https://${'a'.repeat(2001)}`,
  '2025-01-16T09:30:00Z',
  '2025-01-16 09:30:00.000Z',
  {},
  { length: 0 },
  [],
  [7],
  ['x'],
  [null],
  [[]],
  [`0x${'AB'.repeat(32)}`],
  createHashes(54),
]

function toggleCase(value: unknown): string {
  const text = String(value)
  return text.toUpperCase() === text ? text.toLowerCase() : text.toUpperCase()
}

function getForm(form: string): (typeof fieldForms)[string] {
  const knownForm = fieldForms[form]
  if (knownForm) return knownForm
  // The form is an enumeration: literals in backticks.
  const literals = [...form.matchAll(/`(.+?)`/g)].map(([, literal = '']) => JSON.parse(literal))
  if (literals.length === 0) throw new Error(`The form ${form} is not known`)
  return { has: (value) => literals.includes(value), others: () => literals }
}

function listMutations(name: Name, { form, cells }: Row, path: string[]): Mutation[] {
  const { has, others } = getForm(form)
  const current = getAtPath(bundles[name], path)
  const isEntryList = form.endsWith('signed entries')
  const values = [null, REMOVED_FIELD, ...others(current), ...valuesOfOtherTypes, toggleCase(current)].filter(
    (value) => {
      if (JSON.stringify(value) === JSON.stringify(current) && value !== REMOVED_FIELD) return false
      // An absent field cannot be removed, and `null` is equivalent to absence.
      if (current === undefined && (value === REMOVED_FIELD || value === null)) return form === '–'
      if (current === null && value === null) return false
      // Objects of the right form are skipped, because their fields are changed one by one.
      return !(form === 'object' && has(value))
    },
  )
  return values.map((value) => {
    const isSignedEntryList = isEntryList && Array.isArray(value) && value.every((item) => item?.bytes !== undefined)
    const hasForm = isEntryList ? isSignedEntryList : has(value)
    const column: Column =
      value === null ? 'null' : value === REMOVED_FIELD ? 'missing' : hasForm ? 'another value' : 'not of this form'
    return { name, path, value, column, expected: cells[column] }
  })
}

function getMutations(name: Name): Mutation[] {
  const isInScope = ({ scope }: Row) =>
    (scope !== 'of an alert' || name.startsWith('alert')) &&
    (scope !== 'of a correction or retraction' || !name.startsWith('alert')) &&
    (scope !== 'in version 1' || bundles[name].version === 1) &&
    (scope !== 'in version 2' || bundles[name].version === 2)
  // Bundles other than `alert` only test the rows that depend on version or kind.
  const singleRows = alertRows.filter(isInScope).filter(({ scope }) => name === 'alert' || scope !== '')
  const alertMutations = singleRows.flatMap((row) => listMutations(name, row, ['alert', row.field]))
  if (name !== 'alert') return alertMutations
  return [
    ...bundleRows.flatMap((row) => listMutations(name, row, row.field.split('.'))),
    ...entryRows.flatMap((row) => ['0', '1'].flatMap((at) => listMutations(name, row, ['keys', at, row.field]))),
    ...entryRows.flatMap((row) => listMutations(name, toOutcomeRow(row), ['outcomes', '0', row.field])),
    ...alertMutations,
  ]
}

/** Replaces `failed 2` by `good`: an outcome that fails does not change the alert's verdict. */
function toOutcomeRow({ cells, ...row }: Row): Row {
  const entries = Object.entries(cells).map(([column, result]) => [column, result === 'failed 2' ? 'good' : result])
  return { ...row, cells: Object.fromEntries(entries) }
}

function getAtPath(holder: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, field) => Reflect.get(Object(value), field), holder)
}

function applyMutations(bundle: ProofBundle, mutations: readonly Pick<Mutation, 'path' | 'value'>[]): unknown {
  const changedBundle = structuredClone(bundle)
  for (const { path, value } of mutations) {
    const holder = Object(getAtPath(changedBundle, path.slice(0, -1)))
    const field = path.at(-1) ?? ''
    if (value === REMOVED_FIELD) Reflect.deleteProperty(holder, field)
    else Reflect.set(holder, field, value)
  }
  return JSON.parse(JSON.stringify(changedBundle))
}

async function evaluateValue(value: unknown): Promise<string> {
  let bundle: ProofBundle
  try {
    bundle = parseBundle(value)
  } catch {
    return 'malformed'
  }
  const { verdict, step } = await verifyBundle(bundle, { trust, rpc })
  if (verdict === 'failed') return `failed ${step}`
  return verdict === 'verified' ? 'good' : verdict
}

const allMutations = names.flatMap(getMutations)
let results: string[]

beforeAll(async () => {
  results = []
  for (const mutation of allMutations)
    results.push(await evaluateValue(applyMutations(bundles[mutation.name], [mutation])))
})

describe('tables of the log format', () => {
  it('have a row for each field of a bundle', () => {
    const listFields = (rows: Row[]) => new Set(rows.map(({ field }) => field))
    expect(listFields(bundleRows)).toEqual(
      new Set([...Object.keys(bundles.alert), 'anchor.chainId', 'anchor.contract', 'anchor.rpcUrl']),
    )
    expect(listFields(entryRows)).toEqual(new Set(Object.keys(bundles.alert.keys[0] ?? {})))
    // `supersededBy` is not part of the proof. The test of ignored keys covers it.
    const { supersededBy: _, ...provedAlert } = bundles['alert of version 2'].alert
    expect(listFields(alertRows)).toEqual(new Set(Object.keys(provedAlert)))
    for (const { form } of [...bundleRows, ...entryRows, ...alertRows]) expect(() => getForm(form)).not.toThrow()
  })

  it('define the verification result of a bundle in which one field is changed', async () => {
    for (const name of names) expect(await evaluateValue(applyMutations(bundles[name], []))).toBe('good')
    expect(allMutations.length).toBeGreaterThan(1_000)
    const unexpectedResults = allMutations.flatMap(({ name, path, value, column, expected }, index) => {
      const result = results[index] ?? ''
      if (expected === 'failed 3 or 4' ? /^failed [34]$/.test(result) : result === expected) return []
      const valueText = value === REMOVED_FIELD ? '' : JSON.stringify(value)?.slice(0, 90)
      return [`${name} ${path.join('.')} ${column} ${valueText}: ${result} instead of ${expected}`]
    })
    expect(unexpectedResults).toEqual([])
  })

  it('define that unknown keys are ignored at every level', async () => {
    for (const name of ['alert', 'retraction of version 2'] as const) {
      for (const holder of [[], ['anchor'], ['keys', '0'], ['alert']]) {
        for (const field of ['more', 'Format', 'toJSON', 'length', 'v', 'supersededBy', 'broadcastAt', 'anchoredAt']) {
          if (field === 'anchoredAt' && holder[0] === 'alert') continue
          const result = await evaluateValue(
            applyMutations(bundles[name], [{ path: [...holder, field], value: { any: 1 } }]),
          )
          expect([holder, field, result]).toEqual([holder, field, 'good'])
        }
      }
    }
  })

  it('define that the worst result counts when several fields change', async () => {
    // Exclude fields that the log format checks in combination with other fields, such as `salt`
    // and `version`: the result of several changes can then differ from the worst result of each
    // change alone.
    const isAlone = ({ path, value }: Mutation) =>
      ['salt', 'version'].includes(path.at(-1) ?? '') || (path.at(-1) === 'avalancheTx' && value === null)
    const mutations = allMutations.filter((mutation) => mutation.name === 'alert' && !isAlone(mutation))
    const severalMutations = fc.uniqueArray(fc.constantFrom(...mutations), {
      minLength: 2,
      maxLength: 4,
      selector: ({ path }) => path.join('.'),
    })
    await fc.assert(
      fc.asyncProperty(severalMutations, async (mutations) => {
        // A field and the object that contains it are not changed together.
        const paths = mutations.map(({ path }) => path.join('.'))
        if (paths.some((path) => paths.some((other) => other.startsWith(`${path}.`)))) return
        const result = await evaluateValue(applyMutations(bundles.alert, mutations))
        const expected = mutations.map((mutation) => mutation.expected)
        const steps = expected.flatMap((each) => (each.startsWith('failed') ? [Number(each.at(7))] : []))
        if (expected.includes('malformed')) expect(result).toBe('malformed')
        else if (steps.length === 0) expect(result).toBe('good')
        else if (Math.min(...steps) === 3 && expected.includes('failed 3 or 4')) expect(result).toMatch(/^failed [34]$/)
        else expect(result).toBe(`failed ${Math.min(...steps)}`)
      }),
      { numRuns: 200 },
    )
  })

  it('have a test vector for each cell', async () => {
    const seenKeys = new Set<string>()
    const lines: string[] = []
    for (const [at, { name, path, value, column, expected }] of allMutations.entries()) {
      const result = results[at] ?? ''
      const scope = path[0] === 'alert' ? name : ''
      const cell = [scope, path.map((part) => part.replace(/^\d+$/, 'n')), column, expected, result].join()
      if (seenKeys.has(cell)) continue
      seenKeys.add(cell)
      const [, step] = /^failed (\d)$/.exec(result) ?? []
      const verdict = result === 'good' ? 'verified' : step ? 'failed' : result
      const vectorFields = { bundle: name, path: path.join('/'), ...(value === REMOVED_FIELD ? {} : { value }) }
      lines.push(JSON.stringify({ ...vectorFields, result: verdict, ...(step ? { step: Number(step) } : {}) }))
    }
    const head = { trust: { firstSigner, domain: testDomain }, answers, bundles }
    const text = `${JSON.stringify(head).slice(0, -1)},\n"cases":[\n${lines.join(',\n')}\n]}\n`
    await expect(text).toMatchFileSnapshot('./vectors/bundle-fields.json')
  })
})
