import { describe, expect, test } from 'vitest'
import { parseOptions } from './options.ts'
import { UsageProblem } from './outcome.ts'

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

describe('parseOptions rejects', () => {
  const cases: [args: string[], reason: RegExp][] = [
    [[], /Name a bundle file, or --from-url/],
    [['a.json', 'b.json'], /one file only/],
    [['--bogus'], /Unknown option '--bogus'/],
    [['a.json', '--rpc'], /--rpc <value>' argument missing/],
    [['a.json', '--json=yes'], /'--json' does not take an argument/],
    [['a.json', '--from-url', 'https://x.example'], /--from-url cannot be combined with a file, --url/],
    [['a.json', '--from-file', 'copy'], /--from-file cannot be combined with a file, --url/],
    [['--from-url', 'https://x.example', '--from-file', 'copy'], /--from-url cannot be combined with --from-file/],
    [['--from-file', 'copy', '--mirror', 'other'], /--mirror cannot be combined with --from-file/],
    [['--from-file', 'copy', '--api-key-file', 'x'], /--api-key-file cannot be combined with --from-file/],
    [['a.json', '--api-key-file', 'x'], /--api-key-file is for a whole log \(--from-url or --from-file\)/],
    [['--from-file', 'copy', '--save-checkpoint', 'x'], /--save-checkpoint cannot be combined with --from-file/],
    [
      ['--from-url', 'https://x.example', '--url', 'https://x.example'],
      /--from-url cannot be combined with a file, --url/,
    ],
    [['--from-url', 'file:///etc/passwd'], /--from-url must be an http or https URL/],
    [['--from-url', 'x.example'], /--from-url must be an http or https URL/],
    [['a.json', '--rpc', 'https://name:password@x.example'], /--rpc must be an http or https URL/],
    [['a.json', '--first-signer', '0x12'], /--first-signer: Expected an address/],
    [['a.json', '--contract', address.replace('BeA', 'beA')], /--contract: The address has a wrong checksum/],
    [['a.json', '--chain-id', '0'], /--chain-id must be a whole number of 1 or more/],
    [['a.json', '--chain-id', '0x1'], /--chain-id must be a whole number/],
    [['a.json', '--chain-id', '99999999999999999'], /--chain-id must be a whole number/],
    [['a.json', '--timeout-seconds', '601'], /--timeout-seconds must be a whole number from 1 to 600/],
    [['a.json', '--timeout-seconds', '1.5'], /--timeout-seconds/],
    [['a.json', '--since-size', '5'], /--since-size is for a whole log \(--from-url or --from-file\)/],
    [['a.json', '--checkpoint', 'x'], /--checkpoint is for a whole log \(--from-url or --from-file\)/],
    [['--from-url', 'https://x.example', '--since-size', '-5'], /--since-size/],
    [['--from-url', 'https://x.example', '--candles', 'x'], /--candles needs --track-record/],
    [['--from-url', 'https://x.example', '--origin', 'demo'], /--origin needs --track-record/],
    [['--from-url', 'https://x.example', '--track-record', '--origin', 'admin'], /--origin must be feed or demo/],
    [
      ['--from-url', 'https://x.example', '--track-record', '--since-size', '1'],
      /--since-size cannot be combined with/,
    ],
    [['--from-file', 'copy', '--track-record'], /--track-record cannot be combined with --from-file/],
    [['a.json', '--track-record'], /--track-record is for a whole log \(--from-url or --from-file\)/],
  ]
  test.each(cases)('%j', (args, reason) => {
    expect(() => parseOptions(args)).toThrow(UsageProblem)
    expect(() => parseOptions(args)).toThrow(reason)
  })
})

test('parseOptions: leaves all trusted values unset by default', () => {
  expect(parseOptions(['bundle.json'])).toEqual({
    task: 'alert',
    file: 'bundle.json',
    paymentRpcUrl: null,
    serverUrl: null,
    json: false,
    color: true,
    timeoutMs: 15_000,
    pins: { firstSigner: null, contract: null, chainId: null, rpcUrl: null },
  })
})

test('parseOptions: reads all options of a log', () => {
  const pins = ['--first-signer', address.toLowerCase(), '--contract', address, '--chain-id', '43114']
  const from = ['--from-url', 'https://x.example', '--rpc', 'http://127.0.0.1:8545/key', '--from-block', '7']
  const since = ['--checkpoint', 'old', '--since-size', '4294967297', '--save-checkpoint', 'new']
  const mirror = ['--mirror', 'copy', '--api-key-file', 'key']
  const output = ['--json', '--no-color', '--timeout-seconds', '3']
  expect(parseOptions([...pins, ...from, ...since, ...mirror, ...output])).toEqual({
    task: 'log',
    serverUrl: new URL('https://x.example'),
    file: null,
    sinceSize: 4294967297,
    checkpointFile: 'old',
    saveCheckpointFile: 'new',
    mirrorFile: 'copy',
    apiKeyFile: 'key',
    fromBlock: 7,
    trackRecord: false,
    recordOrigin: 'feed',
    candles: null,
    json: true,
    color: false,
    timeoutMs: 3000,
    pins: {
      firstSigner: address,
      contract: address,
      chainId: 43114,
      rpcUrl: new URL('http://127.0.0.1:8545/key'),
    },
  })
})

test('parseOptions: reads the options of a track record', () => {
  const args = ['--from-url', 'https://x.example', '--track-record', '--candles', 'folder', '--origin', 'demo']
  expect(parseOptions(args)).toMatchObject({ trackRecord: true, candles: 'folder', recordOrigin: 'demo' })
})

test('parseOptions: reads a dash as standard input, and --help takes precedence', () => {
  expect(parseOptions(['-'])).toMatchObject({ file: '-' })
  expect(parseOptions(['-h', 'a', 'b'])).toBe('help')
})
