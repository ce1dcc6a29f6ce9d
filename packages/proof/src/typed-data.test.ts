import { hashTypedData } from 'viem'
import { describe, expect, it } from 'vitest'
import type { AlertStatement } from './alert.ts'
import { bytesToHex } from './hex.ts'
import { alertTypedMessage, alertTypes, hashAlert, type ProofDomain, saltedTypes } from './typed-data.ts'
import { loadPrimitives } from './webassembly.ts'

const domain: ProofDomain = { chainId: 43114, verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }
const statement: AlertStatement = {
  kind: 'alert',
  index: 2 ** 40 + 1,
  id: 'a-41',
  asset: 'BTC/USD',
  priority: 'critical',
  anomalyType: '',
  regime: 'Trending €',
  summary: 'Volume 😀',
  confidence: 64.1,
  createdAt: '2025-01-16T09:30:00.123Z',
  origin: 'feed',
  signalHash: `0x${'ab'.repeat(32)}`,
  signer: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  targetIndex: null,
  targetLeafHash: null,
}

function hashByViem(proofDomain: ProofDomain, alert: AlertStatement) {
  return hashTypedData({
    domain: { name: 'Tocsin', version: '1', ...proofDomain },
    types: alert.salt === undefined ? alertTypes : { Alert: saltedTypes.Alert },
    primaryType: 'Alert',
    message: alertTypedMessage(alert),
  })
}

const otherStatements: Partial<AlertStatement>[] = [
  { index: 0 },
  { id: '' },
  { asset: 'ETH/USD' },
  { priority: 'low' },
  { anomalyType: 'x' },
  { regime: 'x' },
  { summary: 'x'.repeat(1000) },
  { confidence: 0 },
  { confidence: 100 },
  { createdAt: '1970-01-01T00:00:00.000Z' },
  { origin: 'demo' },
  { origin: 'demo', signalHash: null },
  { origin: 'admin', signalHash: null },
  { signer: '0x52908400098527886E0F7030069857D2E4169EE7' },
  { salt: `0x${'00'.repeat(16)}` },
  { salt: `0x${'5a'.repeat(16)}` },
]

describe('hashAlert', () => {
  it.each([
    ['a chain id of zero', { ...domain, chainId: 0 }],
    ['a fractional chain id', { ...domain, chainId: 1.5 }],
    ['a malformed contract', { ...domain, verifyingContract: '0x00' as const }],
  ])('rejects %s', (_, malformed) => {
    expect(() => hashAlert(malformed, statement)).toThrow()
  })

  it('rejects a statement without a canonical form', () => {
    expect(() => hashAlert(domain, { ...statement, confidence: 64.12 })).toThrow('confidence')
  })

  it.each([{}, ...otherStatements])('agrees with viem on %j', (change) => {
    const changedStatement = { ...statement, ...change }
    expect(bytesToHex(hashAlert(domain, changedStatement))).toBe(hashByViem(domain, changedStatement))
  })

  it('differs for every changed field, chain and contract', () => {
    const digests = [{}, ...otherStatements].map((change) => bytesToHex(hashAlert(domain, { ...statement, ...change })))
    const otherDomains: ProofDomain[] = [
      { ...domain, chainId: 1 },
      { ...domain, verifyingContract: '0x52908400098527886E0F7030069857D2E4169EE7' },
    ]
    for (const otherDomain of otherDomains) {
      digests.push(bytesToHex(hashAlert(otherDomain, statement)))
      expect(digests.at(-1)).toBe(hashByViem(otherDomain, statement))
    }
    expect(new Set(digests).size).toBe(otherStatements.length + 3)
  })
})

it('hashAlert: gives the same digest with Keccak in WebAssembly', async () => {
  const { keccak256 } = await loadPrimitives()
  for (const change of [{}, ...otherStatements]) {
    const changedStatement = { ...statement, ...change }
    expect(hashAlert(domain, changedStatement, keccak256)).toEqual(hashAlert(domain, changedStatement))
  }
})
