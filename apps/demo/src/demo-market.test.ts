import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startExchange } from '../../engine/test/exchange.ts'
import { chooseMarket } from './demo-market.ts'

const UNREACHABLE_URL = 'ws://127.0.0.1:9'
const unreachable = {
  ...{ ENGINE_BINANCE_URL: UNREACHABLE_URL, ENGINE_OKX_URL: UNREACHABLE_URL },
  ...{ ENGINE_COINBASE_URL: UNREACHABLE_URL, ENGINE_KRAKEN_URL: UNREACHABLE_URL },
}
let dir: string
let lines: string[]

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-market-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  dir = join(folder, 'engine')
  lines = []
})

const runChooseMarket = (wantedMarket: 'simulated' | 'live', engineEnv: Record<string, string> = unreachable) =>
  chooseMarket({ dir, wanted: wantedMarket, engineEnv, historyDays: 30, print: (line) => lines.push(line) })

async function readExchange(venue: 'binance' | 'coinbase' | 'kraken'): Promise<string> {
  const exchange = await startExchange(venue)
  onTestFinished(exchange.close)
  return exchange.url
}

test('demo market: is simulated, contacts no exchange and logs nothing when DEMO_MARKET is not set', async () => {
  expect(await runChooseMarket('simulated', {})).toEqual({
    kind: 'simulated',
    engineEnv: { ENGINE_SIMULATE: '18', ENGINE_HISTORY_DAYS: '30' },
  })
  expect(lines).toEqual([])
})

test('demo market: logs the reason and simulates when no exchange can be reached', async () => {
  expect(await runChooseMarket('live')).toMatchObject({ kind: 'simulated', engineEnv: { ENGINE_SIMULATE: '18' } })
  expect(lines).toEqual([
    'No exchange can be reached (Binance: bad port; Coinbase: bad port; Kraken: bad port; OKX: bad port)',
    'The demo runs on a simulated market instead',
  ])
  expect(existsSync(join(dir, 'live.json'))).toBe(false)
})

test('demo market: gives up within seconds when an exchange accepts connections and never responds', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await runChooseMarket('live', { ...unreachable, ENGINE_KRAKEN_URL: url })).toMatchObject({ kind: 'simulated' })
  expect(lines[0]).toContain('Kraken: no response')
})

test('demo market: uses the first two exchanges that respond, and logs only these', async () => {
  const env = {
    ...unreachable,
    ENGINE_BINANCE_URL: await readExchange('binance'),
    ENGINE_COINBASE_URL: await readExchange('coinbase'),
    ENGINE_KRAKEN_URL: await readExchange('kraken'),
  }
  expect(await runChooseMarket('live', env)).toEqual({
    kind: 'live',
    engineEnv: {
      ...env,
      ENGINE_MARKETS: 'binance:BTC/USDT,binance:ETH/USDT,binance:SOL/USDT,binance:XRP/USDT,coinbase:BTC/USD',
      ENGINE_HISTORY_DAYS: '3',
      ENGINE_SHORT_HORIZON_SECONDS: '300',
    },
  })
  expect(lines).toEqual(['The demo watches live markets of Binance, Coinbase'])
})

test('demo market: watches the markets of ENGINE_MARKETS and requests only their exchanges', async () => {
  const env = { ENGINE_MARKETS: 'coinbase:ETH/USD', ENGINE_COINBASE_URL: await readExchange('coinbase') }
  expect(await runChooseMarket('live', env)).toMatchObject({
    kind: 'live',
    engineEnv: { ENGINE_MARKETS: 'coinbase:ETH/USD' },
  })
})

test('demo market: keeps its live markets at later starts when their exchanges cannot be reached', async () => {
  const env = { ...unreachable, ENGINE_COINBASE_URL: await readExchange('coinbase') }
  const first = await runChooseMarket('live', env)
  lines = []
  const onlyOther = { ...unreachable, ENGINE_BINANCE_URL: await readExchange('binance') }
  for (const [wantedMarket, nextEnv] of [
    ['live', unreachable],
    ['simulated', unreachable],
    ['live', onlyOther],
  ] as const) {
    const next = await runChooseMarket(wantedMarket, nextEnv)
    expect(next.kind).toBe('live')
    expect(next.engineEnv.ENGINE_MARKETS).toBe(first.engineEnv.ENGINE_MARKETS)
    expect(lines.at(-1)).toContain('until then no alerts arrive')
  }
  expect(lines.join()).toContain('began on live markets and stays on them')
})

test('demo market: stays simulated when its folder contains a simulation, even if live markets are requested', async () => {
  const env = { ...unreachable, ENGINE_BINANCE_URL: await readExchange('binance') }
  await runChooseMarket('live', env)
  rmSync(join(dir, 'live.json'))
  writeFileSync(join(dir, 'simulation.json'), '{}')
  expect(await runChooseMarket('live', env)).toMatchObject({ kind: 'simulated' })
  expect(lines.at(-1)).toContain('began on a simulated market and stays on it')
})
