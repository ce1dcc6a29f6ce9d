import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestLog, type TestLog, testDomain, testKeys, testSigners } from '../test/support/test-log.ts'
import { bytesToHex, type Hex, hexToBytes } from './hex.ts'
import { createLogCheck, type DecodedEntry, readEntry } from './log-check.ts'
import type { LogEntry } from './log-entry.ts'
import { signDigest } from './signature.ts'
import { appendLeaf, emptyFrontier, hashLeaf, inclusionProof } from './tree.ts'
import { hashStatement } from './typed-data.ts'

const [firstSigner = '0x', secondSigner = '0x'] = testSigners
const salt: Hex = `0x${'5a'.repeat(16)}`

/** Creates a log with ten entries: a key list, alerts, a correction, a rotation, a retraction. */
function createLog(): TestLog {
  const log = createTestLog()
  log.appendKeys()
  for (let i = 1; i < 5; i++) log.appendAlert()
  log.appendAlert({ kind: 'correction', targetIndex: 3, targetLeafHash: readLeafHash(log, 3), asset: 'ETH/USD' })
  log.anchor()
  log.appendKeys()
  log.appendAlert()
  log.appendAlert({ kind: 'retraction', targetIndex: 2, targetLeafHash: readLeafHash(log, 2), summary: 'Wrong feed' })
  log.appendAlert()
  log.anchor()
  return log
}

function readLeafHash(log: TestLog, index: number): Hex {
  return bytesToHex(log.entries[index]?.leafHash ?? new Uint8Array())
}

function findFirstFailure(entries: readonly LogEntry[], from: TestLog = validLog): string | null {
  const check = createLogCheck({ domain: testDomain, firstSigner })
  for (const entry of entries) {
    check.add(entry)
    for (const anchor of from.anchors) if (anchor.size === check.size) check.checkAnchor(anchor)
  }
  const last = from.anchors.at(-1)
  return last && last.size > check.size ? check.checkAnchor(last) : check.failure
}

const validLog = createLog()
const entries = validLog.logEntries()
const changeEntry = (entryIndex: number, fields: Partial<LogEntry>) =>
  entries.map((entry, i) => (i === entryIndex ? { ...entry, ...fields } : entry))
const getBytes = (at: number) => entries[at]?.bytes ?? ''
const replaceEntryText = (at: number, from: string, to: string) =>
  changeEntry(at, { bytes: getBytes(at).replace(from, to) })

/** Replaces text of an entry and recomputes the leaf hash, so that only the content is invalid. */
function replaceText(at: number, from: string, to: string) {
  const bytes = getBytes(at).replace(from, to)
  return changeEntry(at, { bytes, leafHash: bytesToHex(hashLeaf(Buffer.from(bytes))) })
}

const invalidEntries: [name: string, entries: LogEntry[], sentence: RegExp][] = [
  ['a removed entry', entries.filter((_, i) => i !== 4), /^Entry 4 is missing: entry 5 comes instead$/],
  ['a removed first entry', entries.slice(1), /^Entry 0 is missing/],
  ['a removed last entry', entries.slice(0, 9), /^The log ends at size 9, the anchor is of size 10$/],
  ['a duplicate entry', [...entries.slice(0, 5), ...entries.slice(4)], /^Entry 5 is missing: entry 4 comes again$/],
  ['an invalid index', changeEntry(3, { index: Number.NaN }), /^Entry 3 is missing/],
  ['a leaf hash in capitals', changeEntry(3, { leafHash: '0xAB' }), /^The leaf hash of entry 3 is malformed$/],
  ['a changed word', replaceEntryText(4, 'Volume', 'volume'), /^The leaf hash of entry 4 is not that of its content$/],
  ['a changed leaf hash', changeEntry(4, { leafHash: readLeafHash(validLog, 3) }), /^The leaf hash of entry 4 is not/],
  ['a lone surrogate', changeEntry(4, { bytes: '\ud800' }), /^The content of entry 4 is malformed: .*Unicode/],
  ['invalid JSON', replaceText(4, '{', ''), /^The content of entry 4 is malformed/],
  ['an added space', replaceText(4, '{', '{ '), /^The content of entry 4 is malformed: .*canonical/],
  ['a changed index', replaceText(4, '"index":4', '"index":3'), /^The content of entry 4 says that it is entry 3$/],
  ['an alert replaced by another', replaceText(4, 'Volume', 'volume'), /^The signature of entry 4 leads to/],
  ['an empty signature', changeEntry(4, { signature: '0x' }), /^The signature of entry 4 is malformed$/],
  ['no signature', changeEntry(4, { signature: null }), /^Entry 4 has content but no signature$/],
  ['no content', changeEntry(4, { bytes: null }), /^Entry 4 has a signature but no content$/],
  [
    'a replaced leaf hash of a withheld entry',
    changeEntry(4, { bytes: null, signature: null, leafHash: readLeafHash(validLog, 3) }),
    /^The root at size 6 differs|^The root at size 6 [0-9a-f]{4}…[0-9a-f]{4} differs from the anchor/,
  ],
]

describe('createLogCheck rejects', () => {
  it.each(invalidEntries)('%s', (_, changed, sentence) => {
    expect(findFirstFailure(changed)).toMatch(sentence)
  })

  it.each([
    ['the old key after it was replaced', 0, firstSigner, /entry 10 is by 0x\w{4}…\w{4}, which signs entries 0 to 6$/],
    ['a key that is in no list', 2, testSigners[2], /entry 10 is by 0x\w{4}…\w{4}, which is not a published key$/],
    ['a key other than the named signer', 0, secondSigner, /entry 10 leads to/],
  ])('%s', (_, keyAt, signer, sentence) => {
    const log = createLog()
    log.append(log.draft(signer ? { signer } : {}), keyAt)
    expect(findFirstFailure(log.logEntries(), log)).toMatch(sentence)
  })

  it('a first key other than the trusted one', () => {
    const check = createLogCheck({ domain: testDomain, firstSigner: secondSigner })
    expect(entries.map((entry) => check.add(entry))[0]).toMatch(
      /^The signature of entry 0 is by .* not a published key$/,
    )
  })

  it('a log of another chain', () => {
    const check = createLogCheck({ domain: { ...testDomain, chainId: 1 }, firstSigner })
    expect(entries.map((entry) => check.add(entry))[0]).toMatch(/^The signature of entry 0 leads to/)
  })

  it('an invalid key list', () => {
    const log = createLog()
    const [first, second] = log.keys()
    if (!first || !second) throw new Error('Two keys')
    const { index, createdAt } = log.draft()
    log.append({ kind: 'keys', index, createdAt, signer: second.address, keys: [first, second] })
    expect(findFirstFailure(log.logEntries(), log)).toMatch(
      /^The key list of entry 10 lets key 2 end at no entry instead of 11$/,
    )
  })

  it.each([
    [
      'a time before that of an earlier entry',
      { createdAt: '2025-01-16T09:29:08.999Z' },
      /^Entry 10 is of 2025-01-16T09:29:08.999Z, entry 9/,
    ],
    [
      'a target with another leaf hash',
      { kind: 'correction' as const, targetIndex: 3, targetLeafHash: readLeafHash(validLog, 4) },
      /^Entry 10 is a correction of entry 3 and names another leaf hash/,
    ],
    [
      'a target that is a key list',
      { kind: 'retraction' as const, targetIndex: 0, targetLeafHash: readLeafHash(validLog, 0) },
      /of entry 0, which is a key list$/,
    ],
    [
      'a retraction that names another asset than its target',
      { kind: 'retraction' as const, asset: 'X', targetIndex: 3, targetLeafHash: readLeafHash(validLog, 3) },
      /^Entry 10 is a retraction of entry 3 and names another asset$/,
    ],
  ])('%s', (_, draft, sentence) => {
    const log = createLog()
    log.appendAlert(draft)
    expect(findFirstFailure(log.logEntries(), log)).toMatch(sentence)
  })

  it.each(['alert', 'correction', 'retraction'] as const)('%s of version 1 after an entry of version 2', (kind) => {
    const target = { targetIndex: 3, targetLeafHash: readLeafHash(validLog, 3) }
    const log = createLog()
    log.appendAlert({ salt })
    log.appendKeys()
    log.appendAlert(kind === 'alert' ? {} : { kind, ...target })
    expect(findFirstFailure(log.logEntries(), log)).toBe(
      'Entry 12 is of version 1, though entry 10 before it is of version 2',
    )
  })

  it('a correction of a heartbeat', () => {
    const log = createLog()
    log.appendHeartbeat()
    log.appendAlert({ kind: 'correction', targetIndex: 10, targetLeafHash: readLeafHash(log, 10) })
    expect(findFirstFailure(log.logEntries(), log)).toBe('Entry 11 is a correction of entry 10, which is a heartbeat')
  })

  it.each([
    [
      'before which there is no key list',
      (log: TestLog) => {
        log.appendAlert()
        log.appendSuccession()
      },
      'Entry 1 is a succession, but entry 0 is not a key list',
    ],
    [
      'that names the log itself',
      (log: TestLog) => {
        log.appendKeys()
        log.appendSuccession({ contract: testDomain.verifyingContract })
      },
      'Entry 1 names this log itself as its predecessor',
    ],
  ])('a succession %s', (_, addEntries, sentence) => {
    const log = createTestLog()
    addEntries(log)
    expect(findFirstFailure(log.logEntries(), log)).toBe(sentence)
  })

  it('a succession anywhere but at index 1, already when it is encoded', () => {
    for (const entriesBefore of [0, 2, 3]) {
      const log = createTestLog()
      if (entriesBefore > 0) log.appendKeys()
      for (let i = 1; i < entriesBefore; i++) log.appendAlert()
      expect(() => log.appendSuccession()).toThrow("The succession's index is not 1")
    }
  })

  it('a heartbeat by a key outside its window', () => {
    const log = createLog()
    log.append({ kind: 'heartbeat', index: 10, createdAt: log.draft().createdAt, signer: firstSigner }, 0)
    expect(findFirstFailure(log.logEntries(), log)).toMatch(/entry 10 is by .* which signs entries 0 to 6$/)
  })

  it('a target that is not an earlier entry', () => {
    const log = createLog()
    const text = log.draft({ kind: 'correction', targetIndex: 3, targetLeafHash: readLeafHash(validLog, 3) })
    log.append(text)
    const last = log.logEntries().at(-1)
    const bytes = last?.bytes?.replace('"targetIndex":3', '"targetIndex":10') ?? ''
    const selfTargetingEntry = { index: 10, bytes, signature: '0x', leafHash: bytesToHex(hashLeaf(Buffer.from(bytes))) }
    expect(findFirstFailure([...entries, selfTargetingEntry])).toMatch(
      /entry 10 is malformed: The alert's targetIndex is not an index below/,
    )
  })

  it('an anchor with another root, a block time before its newest entry, or a size below that of the log', () => {
    const checkAnchor = (fields: object) => {
      const check = createLogCheck({ domain: testDomain, firstSigner })
      for (const entry of entries.slice(0, 6)) check.add(entry)
      return check.checkAnchor({ size: 6, root: validLog.anchors[0]?.root ?? '0x', ...fields })
    }
    expect(checkAnchor({ root: validLog.anchors[1]?.root })).toMatch(/^The root at size 6 .* differs from the anchor/)
    expect(checkAnchor({ blockAt: '2025-01-16T09:29:04.999Z' })).toMatch(
      /^The anchor of size 6 is of .*, before entry 5/,
    )
    expect(checkAnchor({ size: 5 })).toMatch(/^The anchor of size 5 comes when the log has size 6$/)
    expect(checkAnchor({ blockAt: '2025-01-16T09:29:05.000Z' })).toBeNull()
  })

  it('every entry after the first problem, with the same message', () => {
    const check = createLogCheck({ domain: testDomain, firstSigner })
    const answers = changeEntry(4, { signature: '0x' }).map((entry) => check.add(entry))
    expect(answers.slice(0, 4)).toEqual([null, null, null, null])
    expect(new Set(answers.slice(4))).toEqual(new Set(['The signature of entry 4 is malformed']))
    expect(check.size).toBe(4)
  })

  it('any change of a single character', () => {
    const entryPosition = fc.nat({ max: entries.length - 1 })
    const field = fc.constantFrom('bytes' as const, 'signature' as const, 'leafHash' as const)
    fc.assert(
      fc.property(
        entryPosition,
        field,
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (at, name, position, letter) => {
          const text = entries[at]?.[name] ?? ''
          const i = position % text.length
          if (text[i] === letter) return
          const changedField = `${text.slice(0, i)}${letter}${text.slice(i + 1)}`
          const changedEntries = entries.map((entry, place) =>
            place === at ? { ...entry, [name]: changedField } : entry,
          )
          expect(findFirstFailure(changedEntries)).toContain(`entry ${at}`)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('any two entries swapped, even when renumbered', () => {
    const entryPosition = fc.nat({ max: entries.length - 1 })
    fc.assert(
      fc.property(entryPosition, entryPosition, fc.boolean(), (one, other, renumbers) => {
        if (one === other) return
        const swappedEntries = entries.map((entry, i) => entries[i === one ? other : i === other ? one : i] ?? entry)
        const renumberedEntries = renumbers
          ? swappedEntries.map((entry, index) => ({ ...entry, index }))
          : swappedEntries
        expect(findFirstFailure(renumberedEntries)).toMatch(new RegExp(`ntry ${Math.min(one, other)} `))
      }),
      { numRuns: 60 },
    )
  })
})

describe('createLogCheck with entries that the caller has read', () => {
  const [first] = entries
  if (!first) throw new Error('The log is empty')
  const readFirstEntry = readEntry(first, testDomain)
  const addToNewCheck = (entry: LogEntry, given: DecodedEntry | null) =>
    createLogCheck({ domain: testDomain, firstSigner }).add(entry, given)

  it('returns the same result as when it reads the entries itself', () => {
    const [ownCheck, givenCheck] = [0, 1].map(() => createLogCheck({ domain: testDomain, firstSigner }))
    for (const entry of entries) {
      expect(ownCheck?.add(entry)).toBeNull()
      expect(givenCheck?.add(entry, readEntry(entry, testDomain))).toBeNull()
    }
    expect(givenCheck?.root()).toBe(ownCheck?.root())
    expect(givenCheck?.counts).toEqual(ownCheck?.counts)
  })

  it('rejects an entry if the signer that the caller passes is not the signer that the entry names', () => {
    expect(readFirstEntry?.signer).toBe(firstSigner)
    expect(addToNewCheck(first, readFirstEntry && { ...readFirstEntry, signer: secondSigner })).toMatch(
      /^The signature of entry 0 leads to/,
    )
  })

  it.each<[string, Partial<LogEntry>, RegExp]>([
    ['content without a signature', { signature: null }, /^Entry 0 has content but no signature$/],
    ['a signature without content', { bytes: null }, /^Entry 0 has a signature but no content$/],
    ['a malformed signature', { signature: '0x' }, /^The signature of entry 0 is malformed$/],
    ['malformed content', { bytes: '{' }, /^The leaf hash of entry 0 is not that of its content$/],
    [
      'another leaf hash',
      { leafHash: `0x${'11'.repeat(32)}` },
      /^The leaf hash of entry 0 is not that of its content$/,
    ],
    ['the index of another entry', { index: 1 }, /^Entry 0 is missing: entry 1 comes instead$/],
  ])('states why the caller cannot read an entry with %s', (_, change, problem) => {
    const entry = { ...first, ...change }
    expect(readEntry(entry, testDomain)).toBeNull()
    expect(addToNewCheck(entry, null)).toMatch(problem)
  })

  it('readEntry returns null for an entry whose content is withheld', () => {
    expect(readEntry({ ...first, bytes: null, signature: null }, testDomain)).toBeNull()
  })
})

describe('createLogCheck, for times of issue', () => {
  const minute = 60_000
  const base = Date.parse('2026-03-02T12:00:00.000Z')
  const minutesAfterBase = (minutes: number) => new Date(base + minutes * minute).toISOString()

  /**
   * Builds and checks a log. The number of a step is the minute in which the alert or heartbeat was
   * created, according to its entry, or the minute of the anchor's block. An anchor covers all
   * earlier entries.
   */
  function checkTimes(...steps: ({ entry: number } | { heartbeat: number } | { anchor: number })[]) {
    const log = createTestLog()
    const check = createLogCheck({ domain: testDomain, firstSigner })
    for (const step of steps) {
      if ('anchor' in step)
        check.checkAnchor({ size: check.size, root: check.root(), blockAt: minutesAfterBase(step.anchor) })
      else {
        if ('entry' in step) log.appendAlert({ createdAt: minutesAfterBase(step.entry) })
        else log.appendHeartbeat({ createdAt: minutesAfterBase(step.heartbeat) })
        const entry = log.logEntries().at(-1)
        if (entry) check.add(entry)
      }
    }
    const { count, unproven } = check.unprovenTimes
    expect(count).toBe(unproven.length)
    return { failure: check.failure, unproven: unproven.map(({ index, reason }) => [index, reason]) }
  }

  it.each([
    ['an entry anchored at the limit', [{ entry: 0 }, { anchor: 15 }], []],
    ['an entry anchored after the limit', [{ entry: 0 }, { anchor: 15.001 }], [[0, 'anchored-late']]],
    [
      'an entry anchored late, before an entry anchored in time',
      [{ entry: 0 }, { entry: 14 }, { anchor: 16 }, { entry: 16 }, { anchor: 17 }],
      [[0, 'anchored-late']],
    ],
    ['a heartbeat that is anchored late', [{ heartbeat: 0 }, { anchor: 60 }], []],
    [
      'an entry dated within a minute before an anchor that does not cover it',
      [{ entry: 0 }, { anchor: 1 }, { entry: 0 }, { anchor: 1.1 }],
      [],
    ],
    [
      'an entry dated more than a minute before an anchor that does not cover it',
      [{ entry: 0 }, { anchor: 2 }, { entry: 0.9 }, { anchor: 2.1 }],
      [[1, 'before-anchor']],
    ],
    [
      'an entry back-dated between prepared old heartbeats',
      [{ heartbeat: 0 }, { anchor: 14 }, { heartbeat: 5 }, { anchor: 20 }, { entry: 6 }, { anchor: 20.5 }],
      [[2, 'before-anchor']],
    ],
    [
      'an entry back-dated by hours, in a log without heartbeats',
      [{ entry: 0 }, { anchor: 0.1 }, { entry: 30 }, { anchor: 180 }],
      [[1, 'anchored-late']],
    ],
    ['an entry that is not anchored yet', [{ entry: 0 }, { anchor: 1 }, { entry: 2 }], []],
  ])('%s: the steps %j leave the unproven times %j', (_, steps, unproven) => {
    expect(checkTimes(...steps)).toEqual({ failure: null, unproven })
  })

  it('rejects an entry back-dated to before a heartbeat', () => {
    const steps = [{ heartbeat: 0 }, { anchor: 0.1 }, { heartbeat: 10 }, { anchor: 10.1 }, { entry: 3 }]
    expect(checkTimes(...steps).failure).toMatch(/^Entry 2 is of .*, entry 1 before it of/)
  })

  it('lists the first 100 unproven times and counts all', () => {
    const log = createTestLog()
    for (let i = 0; i < 120; i++) log.appendAlert({ createdAt: minutesAfterBase(0) })
    const check = createLogCheck({ domain: testDomain, firstSigner })
    for (const entry of log.logEntries()) check.add(entry)
    check.checkAnchor({ size: 120, root: check.root(), blockAt: minutesAfterBase(30) })
    expect(check.unprovenTimes).toMatchObject({ count: 120, unproven: { length: 100 } })
  })
})

describe('createLogCheck', () => {
  it('accepts a whole log and counts its entries', () => {
    const check = createLogCheck({ domain: testDomain, firstSigner })
    expect(check).toMatchObject({ size: 0, failure: null, keys: [{ address: firstSigner, untilIndex: null }] })
    for (const entry of entries) expect(check.add(entry)).toBeNull()
    expect(check.counts).toEqual({
      alerts: 6,
      corrections: 1,
      retractions: 1,
      keyLists: 2,
      heartbeats: 0,
      successions: 0,
      outcomes: 0,
      withheld: 0,
    })
    expect(check.keys).toEqual(validLog.keys())
    expect(check.root()).toBe(validLog.anchors[1]?.root)
    expect(check.openTargets).toEqual([])
    expect(findFirstFailure(entries)).toBeNull()
  })

  it('accepts a log that withholds its newest entries', () => {
    const withheldEntries = entries.map((entry) =>
      entry.index > 6 ? { ...entry, bytes: null, signature: null } : entry,
    )
    expect(findFirstFailure(withheldEntries)).toBeNull()
  })

  it('accepts entries of version 2 after version 1, and corrections of both', () => {
    const log = createLog()
    log.appendAlert({ salt })
    const createCorrection = (targetIndex: number) =>
      log.appendAlert({ kind: 'correction', salt, targetIndex, targetLeafHash: readLeafHash(log, targetIndex) })
    createCorrection(3)
    createCorrection(10)
    log.appendKeys()
    log.appendAlert({ salt })
    log.anchor()
    expect(findFirstFailure(log.logEntries(), log)).toBeNull()
  })

  it('accepts and counts heartbeats and successions', () => {
    const log = createTestLog()
    log.appendKeys()
    // Contracts on different chains may have the same address.
    log.appendSuccession({ contract: testDomain.verifyingContract, chainId: testDomain.chainId + 1 })
    log.appendHeartbeat()
    log.appendAlert({ salt })
    log.appendHeartbeat()
    log.anchor()
    expect(findFirstFailure(log.logEntries(), log)).toBeNull()
    const check = createLogCheck({ domain: testDomain, firstSigner })
    for (const entry of log.logEntries()) check.add(entry)
    expect(check.counts).toMatchObject({ alerts: 1, keyLists: 1, heartbeats: 2, successions: 1 })
  })

  it('accepts a log with alerts before its first key list', () => {
    const log = createTestLog()
    log.appendAlert()
    log.appendAlert()
    log.appendKeys()
    log.appendAlert()
    log.appendKeys()
    log.appendAlert()
    log.anchor()
    expect(findFirstFailure(log.logEntries(), log)).toBeNull()
  })

  it.each<[string, (log: TestLog) => void, string]>([
    [
      'a retraction that names another asset than a skipped target',
      (log) => {
        const target = { targetIndex: 3, targetLeafHash: readLeafHash(log, 3) }
        log.appendAlert({ kind: 'retraction', salt, asset: 'X', ...target })
      },
      'Entry 11 is a retraction of entry 3 and names another asset',
    ],
    [
      'an alert of version 1 after a skipped alert of version 2',
      (log) => void log.appendAlert(),
      'Entry 11 is of version 1, though entry 10 before it is of version 2',
    ],
    [
      'a time before that of a skipped entry',
      (log) => void log.appendAlert({ salt, createdAt: '2025-01-16T09:29:09.999Z' }),
      'Entry 11 is of 2025-01-16T09:29:09.999Z, entry 10 before it of 2025-01-16T09:30:10.000Z',
    ],
  ])('rejects %s', (_, appendEntry, failure) => {
    const log = createLog()
    log.appendAlert({ salt })
    const skippedCount = log.entries.length
    appendEntry(log)
    const check = createLogCheck({ domain: testDomain, firstSigner })
    for (const entry of log.logEntries()) {
      const isSkipped = entry.index < skippedCount && !entry.bytes?.includes('"kind":"keys"')
      if (isSkipped) expect(check.skip({ ...entry, signature: '0x' })).toBeNull()
      else check.add(entry)
    }
    expect(check.failure).toBe(failure)
    expect(check.counts).toMatchObject({ keyLists: 2, withheld: 9 })
  })

  it('tolerates a clock difference of one minute', () => {
    const log = createLog()
    log.appendAlert({ createdAt: '2025-01-16T09:29:09.000Z' })
    expect(findFirstFailure(log.logEntries(), log)).toBeNull()
  })

  it('keeps recent targets in memory and requires proofs for older ones', () => {
    const log = createTestLog()
    log.appendKeys()
    log.appendAlert()
    const check = createLogCheck({ domain: testDomain, firstSigner })
    const [list, target] = log.logEntries()
    if (!list || !target) throw new Error('Two entries')
    check.add(list)
    check.add(target)
    const createFiller = (index: number): LogEntry => ({
      index,
      leafHash: target.leafHash,
      bytes: null,
      signature: null,
    })
    for (let index = 2; index < 4100; index++) check.add(createFiller(index))
    const lateRetraction = log.draft({
      kind: 'retraction',
      index: 4100,
      targetIndex: 1,
      targetLeafHash: target.leafHash,
    })
    const entry = signEntry(lateRetraction)
    expect(check.add(entry)).toBeNull()
    const [openTarget] = check.openTargets
    if (!openTarget) throw new Error('One target')
    expect(openTarget).toMatchObject({ index: 4100, kind: 'retraction', targetIndex: 1 })
    const path = computeFillerPath(list.leafHash, target.leafHash, entry.leafHash)
    const proof = { leafHash: target.leafHash, bytes: target.bytes, merklePath: path }
    const settleChangedTarget = (fields: object) => {
      const secondCheck = createLogCheck({ domain: testDomain, firstSigner })
      for (const one of [list, target, ...Array.from({ length: 4098 }, (_, i) => createFiller(i + 2)), entry])
        secondCheck.add(one)
      const [sameTarget] = secondCheck.openTargets
      return sameTarget && secondCheck.settleTarget({ ...sameTarget, ...fields }, proof)
    }
    expect(settleChangedTarget({ targetLeafHash: list.leafHash })).toMatch(/names another leaf hash/)
    expect(settleChangedTarget({ targetIndex: 0 })).toMatch(
      /Entry 0, the target of entry 4100, is not shown to be in the log/,
    )
    expect(check.settleTarget(openTarget, proof)).toBeNull()
    expect(check.openTargets).toEqual([])
    expect(check.failure).toBeNull()
  })
})

function signEntry(statement: Parameters<TestLog['append']>[0]): LogEntry {
  const log = createTestLog()
  const { text, leafHash } = log.append(statement)
  const signature = signDigest(hashStatement(testDomain, statement), testKeys[0] ?? new Uint8Array())
  return { index: statement.index, bytes: text, signature, leafHash: bytesToHex(leafHash) }
}

/**
 * The Merkle path of entry 1 in a tree of 4101 leaves. All leaves except the first and the last are
 * equal.
 */
function computeFillerPath(first: Hex, common: Hex, last: Hex): Hex[] {
  const nodes = new Map<string, Uint8Array>()
  let frontier = emptyFrontier
  for (let index = 0; index <= 4100; index++) {
    const leafHash = index === 0 ? first : index === 4100 ? last : common
    const appended = appendLeaf(frontier, hexToBytes(leafHash))
    for (const { id, hash } of appended.nodes) nodes.set(`${id.level}/${id.index}`, hash)
    frontier = appended.frontier
  }
  return inclusionProof(1, 4101, ({ level, index }) => nodes.get(`${level}/${index}`) ?? new Uint8Array()).map(
    bytesToHex,
  )
}
