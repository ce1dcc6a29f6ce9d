import { parseArgs } from 'node:util'
import { type Address, checksumAddress } from '@tocsin/proof'
import { UsageProblem } from './outcome.ts'
import { quote } from './printable.ts'

/**
 * Values given by the user. If one is null, the value of the bundle or server is used. The URL of a
 * node is used only from a server, never from a file.
 */
export interface Pins {
  firstSigner: Address | null
  contract: Address | null
  chainId: number | null
  rpcUrl: URL | null
}

interface CommonOptions {
  pins: Pins
  json: boolean
  color: boolean
  timeoutMs: number
}

export interface AlertOptions extends CommonOptions {
  task: 'alert'
  file: string
  serverUrl: URL | null
  /** A node of the chain on which a receipt was paid. */
  paymentRpcUrl: URL | null
}

export interface LogOptions extends CommonOptions {
  task: 'log'
  /** URL of the server. Null if the log is read from a file. */
  serverUrl: URL | null
  /** Path of a mirror file. Null if the log is on a server. */
  file: string | null
  sinceSize: number
  checkpointFile: string | null
  saveCheckpointFile: string | null
  mirrorFile: string | null
  /** Path of a file with an API key for the server. Null to read only public content. */
  apiKeyFile: string | null
  fromBlock: number | null
  /** True if the track record is recomputed too. */
  trackRecord: boolean
  recordOrigin: 'feed' | 'demo'
  /** Folder or URL template of an archive of candles. Null for the candles of the server. */
  candles: string | null
}

const logOnlyOptions = [
  'checkpoint',
  'since-size',
  'save-checkpoint',
  'mirror',
  'api-key-file',
  'from-block',
  'track-record',
  'candles',
  'origin',
] as const

/** @throws UsageProblem */
export function parseOptions(args: string[]): AlertOptions | LogOptions | 'help' {
  const { values, positionals } = readArguments(args)
  if (values.help) return 'help'
  const commonOptions = {
    json: values.json,
    color: !values['no-color'],
    timeoutMs: 1000 * (readNumber('timeout-seconds', values['timeout-seconds'], 1, 600) ?? 15),
    pins: {
      firstSigner: readAddress('first-signer', values['first-signer']),
      contract: readAddress('contract', values.contract),
      chainId: readNumber('chain-id', values['chain-id'], 1),
      rpcUrl: readUrl('rpc', values.rpc),
    },
  }
  const fromUrl = readUrl('from-url', values['from-url'])
  const fromFile = values['from-file'] ?? null
  if (fromUrl || fromFile !== null) {
    const name = fromUrl ? '--from-url' : '--from-file'
    if (positionals.length > 0 || values.url !== undefined || values['payment-rpc'] !== undefined) {
      throw new UsageProblem(`${name} cannot be combined with a file, --url or --payment-rpc`)
    }
    const serverOnlyOption = (['from-url', 'save-checkpoint', 'mirror', 'api-key-file', 'track-record'] as const).find(
      (other) => values[other] !== undefined,
    )
    if (fromFile !== null && serverOnlyOption)
      throw new UsageProblem(`--${serverOnlyOption} cannot be combined with --from-file`)
    const { 'track-record': record } = values
    if (record !== undefined && values['since-size'] !== undefined) {
      throw new UsageProblem(
        '--since-size cannot be combined with --track-record, which needs the content of all entries',
      )
    }
    const recordOnlyOption = (['candles', 'origin'] as const).find((name) => values[name] !== undefined)
    if (record === undefined && recordOnlyOption) throw new UsageProblem(`--${recordOnlyOption} needs --track-record`)
    return {
      ...commonOptions,
      task: 'log',
      trackRecord: record === true,
      recordOrigin: readOrigin(values.origin),
      candles: values.candles ?? null,
      serverUrl: fromUrl,
      file: fromFile,
      sinceSize: readNumber('since-size', values['since-size'], 0) ?? 0,
      checkpointFile: values.checkpoint ?? null,
      saveCheckpointFile: values['save-checkpoint'] ?? null,
      mirrorFile: values.mirror ?? null,
      apiKeyFile: values['api-key-file'] ?? null,
      fromBlock: readNumber('from-block', values['from-block'], 0),
    }
  }
  const misplacedOption = logOnlyOptions.find((name) => values[name] !== undefined)
  if (misplacedOption) {
    throw new UsageProblem(`--${misplacedOption} is for a whole log (--from-url or --from-file), not for a bundle file`)
  }
  const [file, ...extraArguments] = positionals
  if (file === undefined) throw new UsageProblem('Name a bundle file, or --from-url for the whole log')
  if (extraArguments.length > 0) throw new UsageProblem('Name one file only')
  return {
    ...commonOptions,
    task: 'alert',
    file,
    serverUrl: readUrl('url', values.url),
    paymentRpcUrl: readUrl('payment-rpc', values['payment-rpc']),
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        'from-url': { type: 'string' },
        'from-file': { type: 'string' },
        url: { type: 'string' },
        rpc: { type: 'string' },
        'payment-rpc': { type: 'string' },
        'first-signer': { type: 'string' },
        contract: { type: 'string' },
        'chain-id': { type: 'string' },
        checkpoint: { type: 'string' },
        'since-size': { type: 'string' },
        'save-checkpoint': { type: 'string' },
        mirror: { type: 'string' },
        'api-key-file': { type: 'string' },
        'from-block': { type: 'string' },
        'track-record': { type: 'boolean' },
        candles: { type: 'string' },
        origin: { type: 'string' },
        'timeout-seconds': { type: 'string' },
        json: { type: 'boolean', default: false },
        'no-color': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    // The first sentence describes the error; the rest is advice on quoting.
    const [sentence = 'The arguments are malformed'] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageProblem(sentence)
  }
}

function readOrigin(text = 'feed'): 'feed' | 'demo' {
  if (text === 'feed' || text === 'demo') return text
  throw new UsageProblem(`--origin must be feed or demo, not ${quote(text)}`)
}

function readNumber(name: string, text: string | undefined, min: number, max = Number.MAX_SAFE_INTEGER): number | null {
  if (text === undefined) return null
  const number = Number(text)
  if (/^\d{1,16}$/.test(text) && number >= min && number <= max) return number
  throw new UsageProblem(
    `--${name} must be a whole number ${max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of ${min} or more`}`,
  )
}

function readAddress(name: string, text: string | undefined): Address | null {
  if (text === undefined) return null
  try {
    return checksumAddress(text)
  } catch (error) {
    throw new UsageProblem(`--${name}: ${error instanceof Error ? error.message : 'not an address'}`)
  }
}

function readUrl(name: string, text: string | undefined): URL | null {
  if (text === undefined) return null
  const url = parseHttpUrl(text)
  if (!url) throw new UsageProblem(`--${name} must be an http or https URL without credentials, not ${quote(text)}`)
  return url
}

/** Parses a URL. Returns null if it is invalid, not http(s), or contains credentials. */
export function parseHttpUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : null
}
