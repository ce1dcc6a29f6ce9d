import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Alert } from '@tocsin/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runVerify, runVerifyJson, startProxy, startSite, type TestSite } from '../test/support/command-test-bed.ts'
import { type LogTestBed, readBundle, startLogTestBed } from '../test/support/log-test-bed.ts'

type Bundle = Awaited<ReturnType<typeof readBundle>>

let testBed: LogTestBed
let unanchoredAlert: Alert
let bundle: Bundle
let pins: string[]
let folder: string
let site: TestSite | null = null

/** Fetches all data in advance, because most tests run after the server has been stopped. */
beforeAll(async () => {
  ;[testBed, folder] = await Promise.all([startLogTestBed(), mkdtemp(join(tmpdir(), 'tocsin-verify-'))])
  bundle = await readBundle(testBed, await testBed.issue(3))
  unanchoredAlert = await testBed.issueOne()
  const { firstSigner, anchor } = bundle
  const domain = ['--contract', anchor.contract, '--chain-id', String(anchor.chainId)]
  pins = ['--first-signer', firstSigner, ...domain, '--rpc', testBed.chain.url]
})
afterAll(async () => {
  await testBed?.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  await site?.close()
  site = null
})

/** Replaces one hex digit. */
function replaceHexDigit(text: string | null, position: number): string {
  if (text === null) throw new Error('Nothing to flip')
  return `${text.slice(0, position)}${text[position] === '7' ? '8' : '7'}${text.slice(position + 1)}`
}

test('an alert without a bundle is verified with the key list of a server only if the trusted values are given', async () => {
  const { code, out } = await runVerify(
    ['-', '--url', testBed.server.url, '--rpc', testBed.chain.url],
    JSON.stringify(bundle.alert),
  )
  expect(code, out).toBe(5)
  expect(out).toMatch(
    /^NOT VERIFIED {2}Everything is consistent, but with values that do not come from you\. Give --first-signer/m,
  )
  expect(out).toMatch(/First signer +0x\w{40} +from the server\n/)
  const pinnedResult = await runVerify(['-', '--url', testBed.server.url, ...pins], JSON.stringify(bundle.alert))
  expect(pinnedResult.code, pinnedResult.out).toBe(0)
})

describe('while the server is down', () => {
  beforeAll(async () => {
    await testBed.server.close()
  })

  test('a bundle is not verified, and its node is not contacted, when no trusted values are given', async () => {
    site = await startSite(() => {})
    const anchor = { ...bundle.anchor, rpcUrl: `${site.url}/rpc` }
    const file = join(folder, 'bundle.json')
    await writeFile(file, JSON.stringify({ ...bundle, anchor }))
    const { code, out, err } = await runVerify([file])
    expect(code, out).toBe(5)
    expect(err).toBe('')
    expect(out.match(/^ {2}\d {2}.*✓ passed/gm)).toHaveLength(2)
    expect(out).toMatch(
      /^NOT VERIFIED {2}The checks that need no node succeeded, but no node was given, so the chain was not queried/m,
    )
    expect(out.match(/from the bundle$/gm)).toHaveLength(3)
    expect(out).toMatch(/Chain node +http.*\/rpc +named in the file, not contacted$/m)
    expect(out).toContain(`--first-signer ${bundle.firstSigner} --contract ${bundle.anchor.contract} --chain-id 31337`)
    expect(site.requests).toEqual([])
  })

  test('a bundle is not verified when first signer, contract, chain id or node is not given', async () => {
    for (let index = 0; index < pins.length; index += 2) {
      const remainingPins = pins.filter((_, i) => i !== index && i !== index + 1)
      const { code, outcome } = await runVerifyJson(['-', ...remainingPins], JSON.stringify(bundle))
      expect([code, outcome.verdict], remainingPins.join(' ')).toEqual([5, 'unpinned'])
    }
  })

  test('an alert anchored long after its stated time has the verdict time-not-proven', async () => {
    const lateAnchorSeconds = Math.floor(Date.parse(bundle.alert.createdAt) / 1000) + 3600
    const toHexWord = (seconds: number) => seconds.toString(16)
    const anchorSeconds = Math.floor(Date.parse(bundle.alert.anchoredAt ?? '') / 1000)
    site = await startProxy(testBed.chain.url, (_question, answer) =>
      JSON.parse(JSON.stringify(answer).replaceAll(toHexWord(anchorSeconds), toHexWord(lateAnchorSeconds))),
    )
    const alert = { ...bundle.alert, anchoredAt: null }
    const { code, outcome } = await runVerifyJson(
      ['-', ...pins, '--rpc', site.url],
      JSON.stringify({ ...bundle, alert }),
    )
    expect([code, outcome.verdict]).toEqual([6, 'time-not-proven'])
    expect(outcome.steps.at(-1)).toMatchObject({ id: 'blockTime', status: 'unproven' })
    const { out } = await runVerify(['-', ...pins, '--rpc', site.url], JSON.stringify({ ...bundle, alert }))
    expect(out).toMatch(/^TIME OF ISSUE NOT PROVEN {2}It says that it was issued at .* are right\.$/m)
    const unpinnedResult = await runVerify(['-', '--rpc', site.url], JSON.stringify({ ...bundle, alert }))
    expect([unpinnedResult.code, unpinnedResult.out]).toEqual([
      6,
      expect.stringMatching(/are right\. This relies on values that do not come from you\. Give --first-signer/),
    ])
  })

  test('a bundle is verified when first signer, contract, chain id and node are given', async () => {
    const { code, out } = await runVerify(['-', ...pins], JSON.stringify(bundle))
    expect(code, out).toBe(0)
    expect(out.match(/given by you$/gm)).toHaveLength(4)
    expect(out).not.toMatch(/from the bundle|pin them/)
  })

  test('--json prints one object', async () => {
    const { code, outcome } = await runVerifyJson(['-', ...pins], JSON.stringify(bundle))
    expect(code).toBe(0)
    expect(outcome).toMatchObject({
      verdict: 'verified',
      exitCode: 0,
      failure: null,
      alertId: bundle.alert.id,
      logIndex: bundle.alert.logIndex,
      blockAt: bundle.alert.anchoredAt,
      trusted: [
        { name: 'firstSigner', value: bundle.firstSigner, source: 'given' },
        { name: 'contract', value: bundle.anchor.contract, source: 'given' },
        { name: 'chainId', value: 31337, source: 'given' },
        { name: 'rpc', value: testBed.chain.url, source: 'given' },
      ],
    })
    const ids = ['payload', 'signature', 'merklePath', 'root', 'transaction', 'blockTime']
    expect(outcome.steps.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'passed']))
  })

  test('an alert that is not anchored yet has the verdict not-anchored', async () => {
    const { code, outcome } = await runVerifyJson(['-', ...pins], JSON.stringify({ ...bundle, alert: unanchoredAlert }))
    expect(code).toBe(3)
    expect(outcome).toMatchObject({ verdict: 'not-anchored', failure: { step: null } })
  })

  const changeAlert = (fields: Partial<Alert>) => ({ ...bundle, alert: { ...bundle.alert, ...fields } })
  const changeKeys = (fields: Partial<Bundle['keys'][number]>) => ({
    ...bundle,
    keys: bundle.keys.map((entry) => ({ ...entry, ...fields })),
  })
  const mutations: [name: string, mutate: () => object, step: string, number: number][] = [
    ['the summary', () => changeAlert({ summary: `${bundle.alert.summary}!` }), 'payload', 1],
    ['the confidence', () => changeAlert({ confidence: 87.4 }), 'payload', 1],
    ['the time', () => changeAlert({ createdAt: '2020-01-01T00:00:00.000Z' }), 'payload', 1],
    ...['id', 'asset', 'priority', 'createdAt'].map((field): [string, () => object, string, number] => [
      `the ${field}, which is an object that cannot be converted to text`,
      () => ({ ...bundle, alert: { ...bundle.alert, [field]: { toString: 1 } } }),
      'payload',
      1,
    ]),
    ['the log index', () => changeAlert({ logIndex: bundle.alert.logIndex + 1 }), 'payload', 1],
    [
      'a byte of the leaf hash',
      () => changeAlert({ leafHash: replaceHexDigit(bundle.alert.leafHash, 9) }),
      'payload',
      1,
    ],
    [
      'the first byte of the signature',
      () => changeAlert({ signature: replaceHexDigit(bundle.alert.signature, 2) }),
      'signature',
      2,
    ],
    [
      'a middle byte of the signature',
      () => changeAlert({ signature: replaceHexDigit(bundle.alert.signature, 70) }),
      'signature',
      2,
    ],
    [
      'the last byte of the signature',
      () => changeAlert({ signature: replaceHexDigit(bundle.alert.signature, 131) }),
      'signature',
      2,
    ],
    ['the key that signed the first list', () => ({ ...bundle, firstSigner: bundle.anchor.contract }), 'signature', 2],
    [
      'the content of a key list',
      () => changeKeys({ bytes: replaceHexDigit(bundle.keys[0]?.bytes ?? '', 30) }),
      'signature',
      2,
    ],
    [
      'the signature of a key list',
      () => changeKeys({ signature: replaceHexDigit(bundle.keys[0]?.signature ?? '', 9) }),
      'signature',
      2,
    ],
    ['the anchor of a key list', () => changeKeys({ avalancheTx: `0x${'7'.repeat(64)}` }), 'signature', 2],
    ['a removed key list', () => ({ ...bundle, keys: [] }), 'signature', 2],
    [
      'a hash of the path',
      () => changeAlert({ merklePath: bundle.alert.merklePath.map((hash) => replaceHexDigit(hash, 65)) }),
      'merklePath',
      3,
    ],
    ['a truncated path', () => changeAlert({ merklePath: bundle.alert.merklePath.slice(1) }), 'merklePath', 3],
    ['the root', () => changeAlert({ root: replaceHexDigit(bundle.alert.root, 2) }), 'merklePath', 3],
    ['the tree size', () => changeAlert({ treeSize: (bundle.alert.treeSize ?? 0) + 7 }), 'merklePath', 3],
    ['the transaction', () => changeAlert({ avalancheTx: replaceHexDigit(bundle.alert.avalancheTx, 20) }), 'root', 4],
  ]
  test.each(mutations)(
    'a bundle fails at the step that checks the changed part: %s',
    async (_name, mutate, step, number) => {
      const input = JSON.stringify(mutate())
      const unchangedResult = await runVerifyJson(['-', ...pins], JSON.stringify(bundle))
      const { code, outcome } = await runVerifyJson(['-', ...pins], input)
      expect([unchangedResult.code, code]).toEqual([0, 1])
      expect(outcome).toMatchObject({ verdict: 'failed', exitCode: 1, failure: { step } })
      expect(outcome.steps.findIndex(({ status }) => status === 'failed') + 1).toBe(number)
      const { out } = await runVerify(['-', ...pins], input)
      expect(out).toMatch(/^FAILED {2}Step \d \([A-Z][a-z ]+\): .+\.$/m)
    },
  )

  test('a valid bundle of a log other than the pinned one fails', async () => {
    const stranger = ['--first-signer', bundle.anchor.contract]
    const { code, outcome } = await runVerifyJson(['-', ...pins, ...stranger], JSON.stringify(bundle))
    expect([code, outcome.failure?.step]).toEqual([1, 'signature'])
  })

  const files: [name: string, text: string, code: number, reason: RegExp][] = [
    ['nothing', '', 1, /not JSON/],
    ['a JSON array', '[]', 1, /neither a proof bundle nor an alert/],
    ['a bundle of another version', '{"format":"tocsin-proof","version":3}', 1, /version/],
    ['an alert without a server', '{"id":"a"}', 2, /give --url/],
  ]
  test.each(files)('tocsin-verify rejects the file when it is %s', async (_name, text, code, reason) => {
    const result = await runVerify(['-'], text)
    expect([result.code, result.out + result.err]).toEqual([code, expect.stringMatching(reason)])
  })

  test('control characters of the file are escaped in the output', async () => {
    const alert = { ...bundle.alert, id: '\x1b]0;owned\x07', asset: 'a\r\n\u202e✓' }
    const { code, out } = await runVerify(['-'], JSON.stringify({ ...bundle, alert }))
    expect(code).toBe(1)
    expect(out).toContain('\\u{1b}]0;owned\\u{7}')
    expect(out).toContain('a\\u{d}\\u{a}\\u{202e}✓')
  })

  type Change = Parameters<typeof startProxy>[1]
  const result =
    (method: string, value: unknown): Change =>
    (question, answer) =>
      question.method === method && typeof answer === 'object' ? { ...answer, result: value } : answer
  const nodes: [name: string, change: Change, code: number, reason: RegExp][] = [
    ['an honest node', (_question, answer) => answer, 0, /VERIFIED/],
    [
      'a node of another chain',
      result('eth_chainId', '0x1'),
      4,
      /CANNOT CHECK NOW {2}The node gives “0x1” as its chain, not 31337\./,
    ],
    [
      'a node that writes its chain id in another way and then refuses a request',
      (question, answer) => {
        if (question.method === 'eth_chainId') return { ...Object(answer), result: '0x07A69' }
        if (question.method !== 'eth_getTransactionReceipt') return answer
        return { ...Object(answer), error: { code: 1, message: 'busy' } }
      },
      4,
      /CANNOT CHECK NOW {2}The node http:\S+ refuses: “busy”/,
    ],
    ['a node that does not know the transaction', result('eth_getTransactionReceipt', null), 1, /No such transaction/],
    ['a node that returns a receipt of the wrong type', result('eth_getTransactionReceipt', 7), 4, /CANNOT CHECK NOW/],
    ['a node that returns a block of the wrong type', result('eth_getBlockByNumber', []), 4, /CANNOT CHECK NOW/],
    [
      'a node that returns the response to another request',
      (_question, answer) => ({ ...Object(answer), id: 99 }),
      4,
      /returned a response to another request/,
    ],
    [
      'a node whose error contains control characters',
      () => ({ error: { code: 1, message: '\x1b[31m\x07' } }),
      4,
      /refuses: “\\u\{1b\}\[31m\\u\{7\}”/,
    ],
    ['a node that returns an array', () => [], 4, /not JSON-RPC/],
  ]
  test.each(nodes)(
    'the check of a bundle returns the exit code and the message for %s',
    async (_name, change, code, reason) => {
      site = await startProxy(testBed.chain.url, change)
      const ran = await runVerify(['-', ...pins, '--rpc', site.url], JSON.stringify(bundle))
      expect(ran.code, ran.out).toBe(code)
      expect(ran.out).toMatch(reason)
      expect(ran.out).not.toContain('\x1b')
    },
  )

  test('a bundle fails when the chain has another root', async () => {
    const root = bundle.alert.root?.slice(2) ?? ''
    site = await startProxy(testBed.chain.url, (_question, answer) =>
      JSON.parse(JSON.stringify(answer).replaceAll(root, replaceHexDigit(root, 5))),
    )
    const { code, outcome } = await runVerifyJson(['-', ...pins, '--rpc', site.url], JSON.stringify(bundle))
    expect([code, outcome.verdict, outcome.exitCode]).toEqual([1, 'failed', 1])
  })

  test('a bundle cannot be checked when the node does not respond', async () => {
    site = await startSite(() => {})
    const args = ['-', ...pins, '--rpc', site.url, '--timeout-seconds', '1']
    const { code, outcome } = await runVerifyJson(args, JSON.stringify(bundle))
    expect(code).toBe(4)
    expect(outcome.failure?.reason).toBe(`http://${new URL(site.url).host} did not respond within 1 s`)
  })
})
