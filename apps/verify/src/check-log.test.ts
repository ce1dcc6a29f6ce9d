import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  bytesToHex,
  decodeAlert,
  deriveCheckpointSeed,
  encodeAlert,
  formatCheckpoint,
  hashAlert,
  hashLeaf,
  hexToBytes,
  parseCheckpoint,
  signDigest,
  signNote,
} from '@tocsin/proof'
import { testKey, testSignerKey } from '@tocsin/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runVerify, runVerifyJson, startProxy, type TestSite } from '../test/support/command-test-bed.ts'
import { type LogTestBed, startLogTestBed } from '../test/support/log-test-bed.ts'

const COUNT = 12
const EDITED_INDEX = 5
const signerKey = hexToBytes(testSignerKey)

let testBed: LogTestBed
let folder: string
let args: string[]
let site: TestSite | null = null

beforeAll(async () => {
  ;[testBed, folder] = await Promise.all([startLogTestBed(), mkdtemp(join(tmpdir(), 'tocsin-verify-'))])
  await testBed.issue(4)
  await testBed.issue(COUNT - 4)
  await testBed.server.ctx.db.execute('create table kept_entries as select * from log_entries')
  const { firstSigner, anchor } = await testBed.server.createClient().call('publicConfig')
  const pins = ['--first-signer', firstSigner, '--contract', anchor.contract, '--chain-id', '31337']
  args = ['--from-url', testBed.server.url, '--rpc', testBed.chain.url, ...pins]
})
afterAll(async () => {
  await testBed?.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  await site?.close()
  site = null
})

/**
 * Runs SQL with all constraints and triggers disabled, like an attacker with access to the
 * database.
 */
async function alterEntries(statements: string): Promise<void> {
  await testBed.server.ctx.db.execute(`begin; set local session_replication_role = replica; ${statements}; commit`)
}

async function runWithAlteredEntries(statements: string, run: () => Promise<void>): Promise<void> {
  await alterEntries(statements)
  try {
    await run()
  } finally {
    await alterEntries('delete from log_entries; insert into log_entries select * from kept_entries')
  }
}

/**
 * Returns SQL that replaces the content and the signature of an entry. The log's own key signs the
 * new content, as an insider could do it.
 */
async function createForgerySql(index: number): Promise<string> {
  const { entries } = await testBed.server.createClient().call('logEntries', { query: { from: index, limit: 1 } })
  const statement = decodeAlert(new TextEncoder().encode(entries[0]?.bytes ?? ''))
  const { chainId, contract } = testBed.server.ctx.config.anchor
  const forgedStatement = { ...statement, summary: 'What was never said' }
  const bytes = encodeAlert(forgedStatement)
  const signature = signDigest(hashAlert({ chainId, verifyingContract: contract }, forgedStatement), signerKey)
  const formatByteaSql = (value: Uint8Array) => `'\\x${bytesToHex(value).slice(2)}'::bytea`
  return `update log_entries set bytes = ${formatByteaSql(bytes)}, leaf_hash = ${formatByteaSql(hashLeaf(bytes))}, signature = '${signature}' where index = ${index}`
}

const readNote = async () => (await fetch(`${testBed.server.url}/api/log/checkpoint`)).text()

/** Uses the log's own key to sign a checkpoint with arbitrary content. */
async function signCheckpoint(change: { size?: number; root?: Uint8Array }): Promise<string> {
  const note = await readNote()
  const checkpoint = { ...parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1)), ...change }
  return signNote(formatCheckpoint(checkpoint), { name: checkpoint.origin, seed: deriveCheckpointSeed(signerKey) })
}

test('tocsin-verify: verifies an intact log', async () => {
  const { code, out, err } = await runVerify(args)
  expect(code, out).toBe(0)
  expect(err).toBe('')
  expect(out.match(/✓ passed/g)).toHaveLength(4)
  expect(out).toMatch(/^VERIFIED {2}13 entries up to the newest anchor: none edited, none missing, none moved\.$/m)
  const { outcome } = await runVerifyJson(args)
  expect(outcome).toMatchObject({
    verdict: 'verified',
    exitCode: 0,
    size: COUNT + 1,
    entriesRead: COUNT + 1,
    anchoredSize: COUNT + 1,
    alerts: COUNT,
    keyLists: 1,
    withheld: 0,
    skippedBefore: 0,
    failure: null,
  })
  expect(outcome.anchors).toBeGreaterThanOrEqual(2)
  expect(outcome.steps.map(({ id }) => id)).toEqual(['chain', 'entries', 'roots', 'checkpoint', 'kept'])
})

test('tocsin-verify: does not verify a log unless first signer, contract, chain and node are given', async () => {
  const pins = args.slice(2)
  for (let index = 0; index < pins.length; index += 2) {
    const remainingPins = pins.filter((_, i) => i !== index && i !== index + 1)
    const { code, outcome } = await runVerifyJson(['--from-url', testBed.server.url, ...remainingPins])
    expect([code, outcome.verdict], remainingPins.join(' ')).toEqual(
      remainingPins.includes('--rpc') ? [5, 'unpinned'] : [2, 'usage'],
    )
  }
})

test('tocsin-verify: reports entries that were anchored long after their stated time', async () => {
  const { code, outcome } = await runWithShiftedBlocks(3600, () => runVerifyJson([...args, '--rpc', site?.url ?? '']))
  expect([code, outcome.verdict, outcome.timesNotProven]).toEqual([6, 'time-not-proven', COUNT])
  expect(outcome.conclusion).toMatch(new RegExp(`The time of issue of ${COUNT} entries is not proven\\.$`))
  const unpinnedArgs = ['--from-url', testBed.server.url, '--rpc', site?.url ?? '']
  const unpinnedRun = await runVerifyJson(unpinnedArgs)
  expect([unpinnedRun.code, unpinnedRun.outcome.conclusion]).toEqual([
    6,
    expect.stringMatching(/is not proven\. This relies on values that do not come from you\. Give --first-signer/),
  ])
})

/** Runs a function while the node returns shifted block times. */
async function runWithShiftedBlocks<T>(laterSeconds: number, run: () => Promise<T>): Promise<T> {
  site = await startProxy(testBed.chain.url, ({ method }, answer) => {
    if (method !== 'eth_getLogs') return answer
    return JSON.parse(
      JSON.stringify(answer).replace(/("data":"0x[0-9a-f]{64})([0-9a-f]{64})/g, (_all, root: string, time: string) => {
        const shiftedTime = (Number.parseInt(time, 16) + laterSeconds).toString(16).padStart(64, '0')
        return `${root}${shiftedTime}`
      }),
    )
  })
  return run()
}

test('tocsin-verify: shows progress on a terminal, but not with --json', async () => {
  const { out, err } = await runVerify(args, '', true)
  expect(err).toMatch(/^\r\S+\d+ of \d+ blocks \(\d+%\)/)
  expect(err.endsWith('\r\u001b[2K')).toBe(true)
  expect(out).not.toContain('\r')
  expect((await runVerify([...args, '--json'], '', true)).err).toBe('')
})

describe('a log modified in the database', () => {
  const editedBytesSql = "replace(convert_from(bytes, 'UTF8'), 'BTC/USD', 'ETH/USD')"
  const editBytesSql = `update log_entries set bytes = convert_to(${editedBytesSql}, 'UTF8') where index = ${EDITED_INDEX}`
  const rehashSql = `update log_entries set leaf_hash = sha256('\\x00'::bytea || bytes) where index = ${EDITED_INDEX}`
  const swapSql = `
    update log_entries e set bytes = k.bytes, leaf_hash = k.leaf_hash, signature = k.signature
    from kept_entries k where (e.index, k.index) in ((${EDITED_INDEX}, ${EDITED_INDEX + 1}), (${EDITED_INDEX + 1}, ${EDITED_INDEX}))`
  const removeEntrySql = `update log_entries set index = -index where index > ${EDITED_INDEX}; update log_entries set index = -index - 1 where index < 0`

  const damages: [name: string, statements: string, index: number, reason: RegExp][] = [
    ['an edited entry', editBytesSql, EDITED_INDEX, /entry 5/i],
    ['an edited entry with a recomputed leaf hash', `${editBytesSql}; ${rehashSql}`, EDITED_INDEX, /entry 5/i],
    ['another leaf hash', `update log_entries set leaf_hash = sha256('x') where index = 0`, 0, /entry 0/i],
    [
      'another signature',
      `update log_entries set signature = (select signature from kept_entries where index = 3) where index = ${EDITED_INDEX}`,
      EDITED_INDEX,
      /entry 5/i,
    ],
    ['a removed entry', `delete from log_entries where index = ${EDITED_INDEX}`, EDITED_INDEX, /entry 5|no entry 5/i],
    ['a removed last entry', `delete from log_entries where index = ${COUNT}`, COUNT, /no entry 12/],
    [
      'a removed entry and renumbered later entries',
      `delete from log_entries where index = ${EDITED_INDEX}; ${removeEntrySql}`,
      EDITED_INDEX,
      /entry 5/i,
    ],
    ['two swapped entries', swapSql, EDITED_INDEX, /entry 5/i],
    [
      'a duplicate entry',
      `update log_entries e set bytes = k.bytes, leaf_hash = k.leaf_hash, signature = k.signature from kept_entries k where e.index = ${EDITED_INDEX} and k.index = 4`,
      EDITED_INDEX,
      /entry 5/i,
    ],
  ]
  test.each(damages)('fails at the first changed entry: %s', async (_name, statements, index, reason) => {
    await runWithAlteredEntries(statements, async () => {
      const { code, outcome } = await runVerifyJson(args)
      expect(outcome.failure).toEqual({ step: 'entries', index, reason: expect.stringMatching(reason) })
      expect([code, outcome.verdict]).toEqual([1, 'failed'])
    })
    expect((await runVerify(args)).code).toBe(0)
  })

  test('fails with the range of entries between two anchors as the reason when the log’s own key signed the change', async () => {
    await runWithAlteredEntries(await createForgerySql(EDITED_INDEX), async () => {
      const { code, outcome } = await runVerifyJson(args)
      expect([code, outcome.failure?.step]).toEqual([1, 'roots'])
      // The reason names a single entry instead of a range if only one lies between two anchors.
      const positionPattern = /(?:Entry (\d+)|One of the entries (\d+) to (\d+)) differs from the anchored log/
      const [, only, from = only, to = only] = positionPattern.exec(outcome.failure?.reason ?? '') ?? []
      expect(Number(from)).toBeLessThanOrEqual(EDITED_INDEX)
      expect(Number(to)).toBeGreaterThanOrEqual(EDITED_INDEX)
    })
  })

  test('is reported when a checkpoint that was saved before the change is given', async () => {
    const file = join(folder, 'before')
    expect((await runVerify([...args, '--save-checkpoint', file])).code).toBe(0)
    await runWithAlteredEntries(await createForgerySql(COUNT), async () => {
      const { code, outcome } = await runVerifyJson([...args, '--checkpoint', file])
      expect([code, outcome.failure?.step]).toEqual([1, 'kept'])
      expect(outcome.failure?.reason).toMatch(/The first 13 entries differ from the log of the kept checkpoint/)
    })
  })
})

test('tocsin-verify: rejects a file of --api-key-file without an API key', async () => {
  const file = join(folder, 'no-key')
  await writeFile(file, 'a password\n')
  const { code, err } = await runVerify([...args, '--api-key-file', file])
  expect(code).toBe(2)
  expect(err).toContain('The file of --api-key-file holds no API key')
})

test('tocsin-verify: writes a mirror file only if the log is intact', async () => {
  const file = join(folder, 'mirror')
  expect((await runVerify([...args, '--mirror', file])).code).toBe(0)
  const [header, ...lines] = (await readFile(file, 'utf8')).trim().split('\n')
  const { firstSigner, anchor } = await testBed.server.createClient().call('publicConfig')
  const { chainId, contract } = anchor
  expect(JSON.parse(header ?? '')).toEqual({ format: 'tocsin-log-mirror', version: 1, chainId, contract, firstSigner })
  const { entries } = await testBed.server.createClient().call('logEntries', { query: { from: 0, limit: 1000 } })
  expect(lines.map((line) => JSON.parse(line))).toEqual(entries)
  await runWithAlteredEntries(`update log_entries set signature = '0x' where index = ${EDITED_INDEX}`, async () => {
    expect((await runVerify([...args, '--mirror', join(folder, 'broken')])).code).toBe(1)
  })
  expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([])
})

describe('tocsin-verify with a kept checkpoint', () => {
  test('verifies a log that extends it', async () => {
    const file = join(folder, 'mine')
    expect((await runVerify([...args, '--save-checkpoint', file])).code).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(await readNote())
    const { code, outcome } = await runVerifyJson([...args, '--checkpoint', file])
    expect(code).toBe(0)
    expect(outcome).toMatchObject({ skippedBefore: 0, withheld: 0, alerts: COUNT })
    expect(outcome.steps.map(({ status }) => status)).toEqual(Array(5).fill('passed'))
  })

  test('with --since-size checks content and signatures of later entries only', async () => {
    const savedResult = await runVerifyJson([...args, '--save-checkpoint', join(folder, 'next')])
    expect(savedResult.outcome.notes).toEqual([
      expect.stringMatching(/next time: --checkpoint \S+\/next --since-size 13$/),
    ])
    const sinceArgs = [...args, '--checkpoint', join(folder, 'next'), '--since-size', '9']
    expect((await runVerifyJson(sinceArgs)).outcome).toMatchObject({
      skippedBefore: 9,
      withheld: 0,
      keyLists: 1,
      alerts: 4,
    })
    const reusedSignatureSql = `update log_entries set signature = (select signature from kept_entries where index = 3)`
    await runWithAlteredEntries(`${reusedSignatureSql} where index = 8`, async () =>
      expect((await runVerify(sinceArgs)).code).toBe(0),
    )
    await runWithAlteredEntries(`${reusedSignatureSql} where index = 9`, async () =>
      expect((await runVerify(sinceArgs)).code).toBe(1),
    )
    await runWithAlteredEntries(await createForgerySql(8), async () =>
      expect((await runVerify(sinceArgs)).code).toBe(1),
    )
  })

  const invalidCheckpoints: [name: string, make: () => Promise<string>, code: number, reason: RegExp][] = [
    [
      'of another log of the same key',
      () => signCheckpoint({ size: 7, root: new Uint8Array(32) }),
      1,
      /two different logs were shown/,
    ],
    ['of a longer log', () => signCheckpoint({ size: 40 }), 1, /had 40 entries when the checkpoint was kept, now 13/],
    ['with an invalid signature', async () => (await readNote()).replace(/.{9}\n$/, 'AAAAAAAA=\n'), 1, /./],
    ['of another origin', async () => (await readNote()).replace(/^\S+/, 'other.example/log'), 2, /is of the log/],
    ['that is not a checkpoint', async () => 'nothing', 2, /contains no checkpoint/],
  ]
  test.each(invalidCheckpoints)('rejects a checkpoint %s', async (_name, make, code, reason) => {
    const file = join(folder, 'strange')
    await writeFile(file, await make())
    const ran = await runVerifyJson([...args, '--checkpoint', file])
    expect(ran.code, ran.out).toBe(code)
    expect(ran.outcome.failure?.reason).toMatch(reason)
  })

  test('reports missing files before any request', async () => {
    site = await startProxy(testBed.server.url, (_question, answer) => answer)
    const missingPath = join(folder, 'no', 'folder')
    const fromUrlArgs = ['--from-url', site.url]
    expect((await runVerify([...fromUrlArgs, '--checkpoint', missingPath])).code).toBe(2)
    expect((await runVerify([...fromUrlArgs, '--save-checkpoint', missingPath])).code).toBe(2)
    expect(site.requests).toEqual([])
  })

  test('saves no checkpoint, and no empty file either, when the server cannot be reached', async () => {
    const unreachableArgs = ['--from-url', 'http://127.0.0.1:1']
    const ran = await runVerify([...unreachableArgs, '--save-checkpoint', join(folder, 'not saved')])
    expect(ran.code).not.toBe(0)
    expect(await readdir(folder)).not.toContain('not saved')
  })
})

type Change = Parameters<typeof startProxy>[1]

describe('tocsin-verify does not verify the log of a server that', () => {
  const changeAnswerOf =
    (path: string, change: (answer: unknown) => unknown): Change =>
    (question, answer) =>
      question.path.startsWith(path) ? change(answer) : answer
  const changeEntries = (change: (list: object[]) => unknown): Change =>
    changeAnswerOf('/api/log/entries', (answer) => ({ ...Object(answer), entries: change(Object(answer).entries) }))

  const serverCases: [name: string, change: () => Promise<Change>, code: number, reason: RegExp][] = [
    ['returns empty pages', async () => changeEntries(() => []), 1, /has no entry 0/],
    ['returns more than requested', async () => changeEntries((list) => [...list, ...list]), 4, /does not respond/],
    ['returns no array', async () => changeEntries(() => ({})), 4, /does not respond/],
    [
      'returns entries of wrong types',
      async () => changeEntries((list) => list.map((entry) => ({ ...entry, leafHash: 7 }))),
      4,
      /does not/,
    ],
    [
      'withholds all content',
      async () => changeEntries((list) => list.map((entry) => ({ ...entry, bytes: null, signature: null }))),
      1,
      /./,
    ],
    [
      'shows fewer entries than are anchored',
      async () => {
        const note = await signCheckpoint({ size: 4 })
        return changeAnswerOf('/api/log/checkpoint', () => note)
      },
      1,
      /chain has anchored 13 entries, the server shows 4/,
    ],
    [
      'claims too many entries',
      async () => {
        const note = await signCheckpoint({ size: 2 ** 50 })
        return changeAnswerOf('/api/log/checkpoint', () => note)
      },
      1,
      /1,125,899,906,842,611 entries beyond the newest anchor/,
    ],
    [
      'claims more entries than it returns',
      async () => {
        const note = await signCheckpoint({ size: 900 })
        return changeAnswerOf('/api/log/checkpoint', () => note)
      },
      1,
      /has no entry 13, though it has signed 900/,
    ],
    [
      'signs another root',
      async () => {
        const note = await signCheckpoint({ root: new Uint8Array(32) })
        return changeAnswerOf('/api/log/checkpoint', () => note)
      },
      1,
      /root that the server signed for 13 entries does not match these entries/,
    ],
    [
      'returns a checkpoint with a wrong signature',
      async () => changeAnswerOf('/api/log/checkpoint', (note) => String(note).replace(/.{9}\n$/, 'AAAAAAAA=\n')),
      1,
      /./,
    ],
    [
      'returns control characters as checkpoint',
      async () => changeAnswerOf('/api/log/checkpoint', () => '\x1b[2J'),
      4,
      /with a checkpoint/,
    ],
  ]
  test.each(serverCases)('%s', async (_name, change, code, reason) => {
    site = await startProxy(testBed.server.url, await change())
    const ran = await runVerify([...args, '--from-url', site.url])
    expect(ran.code, ran.out).toBe(code)
    expect(ran.out).toMatch(reason)
    expect(ran.out).not.toContain('\x1b')
    expect(site.requests.length).toBeLessThan(8)
  })
})

describe('tocsin-verify returns the matching exit code and reason for a node that', () => {
  const changeResultOf =
    (method: string, change: (answer: object, params: unknown[]) => unknown): Change =>
    (question, answer) =>
      question.method === method ? change(Object(answer), question.params) : answer
  const rangeRefusal = { error: { code: -32005, message: 'query exceeds max block range' } }
  const getRange = (params: unknown[]) => {
    const { fromBlock, toBlock } = Object(params[0])
    return Number(toBlock) - Number(fromBlock) + 1
  }
  const nodes: [name: string, change: Change, code: number, reason: RegExp][] = [
    [
      'searches at most three blocks per request',
      changeResultOf('eth_getLogs', (answer, params) => (getRange(params) > 3 ? rangeRefusal : answer)),
      0,
      /VERIFIED/,
    ],
    ['has no historical state', changeResultOf('eth_getCode', () => rangeRefusal), 0, /VERIFIED/],
    [
      'rejects every search',
      changeResultOf('eth_getLogs', () => rangeRefusal),
      4,
      /refuses: “query exceeds max block range”/,
    ],
    [
      'shows no events',
      changeResultOf('eth_getLogs', (answer) => ({ ...answer, result: [] })),
      4,
      /newest anchor is of 13 .* shows of 0/,
    ],
    [
      'returns malformed events',
      changeResultOf('eth_getLogs', (answer) => ({ ...answer, result: [{}] })),
      4,
      /cannot be read/,
    ],
    ['returns no array', changeResultOf('eth_getLogs', (answer) => ({ ...answer, result: 'x' })), 4, /list of events/],
    [
      'is of another chain',
      changeResultOf('eth_chainId', (answer) => ({ ...answer, result: '0x1' })),
      4,
      /is on chain 1, not on chain 31337/,
    ],
    [
      'has no such contract',
      changeResultOf('eth_call', (answer) => ({ ...answer, result: '0x' })),
      4,
      /no AlertAnchor contract/,
    ],
    [
      'returns numbers instead of hex',
      changeResultOf('eth_blockNumber', (answer) => ({ ...answer, result: 7 })),
      4,
      /not a number/,
    ],
    [
      'returns a block number of 256 bits',
      changeResultOf('eth_blockNumber', (answer) => ({ ...answer, result: `0x${'f'.repeat(64)}` })),
      4,
      /not a number/,
    ],
  ]
  test.each(nodes)('%s', async (_name, change, code, reason) => {
    site = await startProxy(testBed.chain.url, change)
    const ran = await runVerify([...args, '--rpc', site.url])
    expect(ran.code, ran.out).toBe(code)
    expect(ran.out).toMatch(reason)
  })

  test('returns another root for an anchor, which fails the check of the roots', async () => {
    site = await startProxy(
      testBed.chain.url,
      changeResultOf('eth_getLogs', (answer) => {
        const [first, ...otherEvents] = Object(answer).result
        return { ...answer, result: [{ ...first, data: `0x${'7'.repeat(64)}${first.data.slice(66)}` }, ...otherEvents] }
      }),
    )
    const { code, outcome } = await runVerifyJson([...args, '--rpc', site.url])
    expect([code, outcome.failure?.step]).toEqual([1, 'roots'])
  })
})

describe('a mirror file', () => {
  let lines: string[]
  let offline: string[]
  beforeAll(async () => {
    const mirrorPath = join(folder, 'copy')
    expect((await runVerify([...args, '--mirror', mirrorPath])).code).toBe(0)
    lines = (await readFile(mirrorPath, 'utf8')).trimEnd().split('\n')
    offline = args.slice(2)
  })
  async function checkLines(changedLines: string[], options = offline) {
    const file = join(folder, 'changed')
    await writeFile(file, `${changedLines.join('\n')}\n`)
    const { code, outcome } = await runVerifyJson(['--from-file', file, ...options])
    return { code, step: outcome.failure?.step ?? null, reason: outcome.failure?.reason ?? '', outcome }
  }
  const parse = (line = '') => JSON.parse(line)
  const changeLine = (lineIndex: number, fields: object) =>
    lines.map((line, i) => (i === lineIndex ? JSON.stringify({ ...parse(line), ...fields }) : line))

  test('is verified without the server, also against a kept checkpoint', async () => {
    const keptCheckpoint = join(folder, 'kept-of-copy')
    await writeFile(keptCheckpoint, await readNote())
    const { code, outcome } = await checkLines(lines, [...offline, '--checkpoint', keptCheckpoint])
    expect(code, JSON.stringify(outcome)).toBe(0)
    expect(outcome).toMatchObject({ verdict: 'verified', size: COUNT + 1, anchoredSize: COUNT + 1, alerts: COUNT })
    expect(outcome.steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed', 'skipped', 'passed'])
  })

  const replaceQuoted = (file: string, text: string) => file.replace('quoted', text)
  const brokenMirrors: [string, () => string[], number, string | null, RegExp][] = [
    ['without its last entry', () => lines.slice(0, -1), 1, 'entries', /anchored 13 entries, the file shows 12/],
    [
      'without its last entry and with another content',
      () => changeLine(EDITED_INDEX, { bytes: replaceQuoted(parse(lines[EDITED_INDEX]).bytes, 'edited') }).slice(0, -1),
      1,
      'entries',
      /entry 4/i,
    ],
    [
      'with another content',
      () => changeLine(EDITED_INDEX, { bytes: replaceQuoted(parse(lines[EDITED_INDEX]).bytes, 'edited') }),
      1,
      'entries',
      /./,
    ],
    ['with another leaf hash', () => changeLine(EDITED_INDEX, { leafHash: `0x${'5a'.repeat(32)}` }), 1, 'entries', /./],
    [
      'with a leaf hash only',
      () => changeLine(EDITED_INDEX, { leafHash: `0x${'5a'.repeat(32)}`, bytes: null, signature: null }),
      1,
      'roots',
      /./,
    ],
    [
      'with two entries swapped',
      () => lines.map((line, i) => lines[i === 4 ? 5 : i === 5 ? 4 : i] ?? line),
      1,
      'entries',
      /./,
    ],
    [
      'with a line that is not an entry',
      () => changeLine(EDITED_INDEX, { index: 'x' }),
      1,
      null,
      /^Line 6 of the file is not an entry/,
    ],
    ['without its header', () => lines.slice(1), 2, null, /is not a copy of a log/],
    ['when empty', () => [''], 2, null, /is not a copy of a log/],
  ]
  test.each(brokenMirrors)('fails %s', async (_name, build, expectedCode, expectedStep, sentence) => {
    const { code, step, reason } = await checkLines(build())
    expect([code, step]).toEqual([expectedCode, expectedStep])
    expect(reason).toMatch(sentence)
  })

  test('is not verified when only its header names the trusted values, and can’t be checked without --rpc', async () => {
    const node = ['--rpc', testBed.chain.url]
    expect((await checkLines(lines, node)).outcome.verdict).toBe('unpinned')
    expect((await checkLines(lines, [])).reason).toMatch(
      /The file does not provide a node of chain 31337. Give one with --rpc/,
    )
    expect((await runVerify(['--from-file', join(folder, 'none'), ...node])).code).toBe(2)
  })
})

test('tocsin-verify: a log without anchors whose alerts are not public yet has the verdict not-anchored', async () => {
  const unanchoredTestBed = await startLogTestBed(({ settings }) => ({
    publicDelayHours: 24,
    // The account of this key has no funds, so the server cannot anchor.
    anchor: { ...settings.anchor, key: testKey(0xee) },
  }))
  try {
    await unanchoredTestBed.issueOne()
    await unanchoredTestBed.issueOne()
    const { code, outcome } = await runVerifyJson([
      '--from-url',
      unanchoredTestBed.server.url,
      '--rpc',
      unanchoredTestBed.chain.url,
    ])
    expect(code, JSON.stringify(outcome)).toBe(3)
    expect(outcome).toMatchObject({ verdict: 'not-anchored', size: 3, withheld: 2, firstWithheld: 1, keyLists: 1 })
  } finally {
    await unanchoredTestBed.close()
  }
})

test('a mirror file older than the newest anchor fails, and the reason says that its entries match the chain', async () => {
  const olderTestBed = await startLogTestBed()
  try {
    await olderTestBed.issue(2)
    const { firstSigner, anchor } = await olderTestBed.server.createClient().call('publicConfig')
    const pins = ['--first-signer', firstSigner, '--contract', anchor.contract, '--chain-id', '31337']
    const offline = ['--rpc', olderTestBed.chain.url, ...pins]
    const file = join(folder, 'older-copy')
    expect((await runVerify(['--from-url', olderTestBed.server.url, ...offline, '--mirror', file])).code).toBe(0)
    await olderTestBed.issue(1)
    const { code, outcome } = await runVerifyJson(['--from-file', file, ...offline])
    expect([code, outcome.failure?.step]).toEqual([1, 'entries'])
    expect(outcome.failure?.reason).toBe(
      'The chain has anchored 4 entries, the file shows 3: it is older than the newest anchor, or lacks its end. Its first 3 entries are those of the chain',
    )
    expect(outcome).toMatchObject({ entriesRead: 3, anchoredSize: 3 })
  } finally {
    await olderTestBed.close()
  }
})
