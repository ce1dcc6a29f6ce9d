import type { PublicConfig } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { getPublishedTrust, getTrust, parseStoredTrust, pinTrust, readTrust, resolveRpcUrl } from './trust.ts'

const signer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const otherSigner = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const contract = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'
const anchor = { chainId: 43114, chainName: 'Avalanche', contract, rpcUrl: null, intervalSeconds: 5 }
// Only these two fields are used.
const config = { firstSigner: signer, anchor } as unknown as PublicConfig
const emptyTrust = { pin: null, rpcUrl: null }
const pinnedAt = new Date('2026-11-21T14:00:00.000Z')

describe('getTrust', () => {
  it('returns the published trust anchors when none are pinned', () => {
    expect(getTrust(emptyTrust, config)).toEqual({
      firstSigner: signer,
      domain: { chainId: 43114, verifyingContract: contract },
    })
  })

  it('returns the pinned trust anchors when the site publishes others', () => {
    const pin = pinTrust(getPublishedTrust(config), false, pinnedAt)
    const changedConfig = { ...config, firstSigner: otherSigner }
    expect(getTrust(parseStoredTrust({ pin, rpcUrl: null }), changedConfig).firstSigner).toBe(signer)
  })

  it.each([[null], ['x'], [{ pin: { firstSigner: 'x' } }], [{ pin: 5, rpcUrl: 5 }], [[]]])(
    'parseStoredTrust: ignores the invalid stored value %o',
    (value) => {
      expect(parseStoredTrust(value)).toEqual(emptyTrust)
    },
  )
})

it.each([
  [null, null, ''],
  ['https://theirs.example/', null, 'https://theirs.example/'],
  ['https://theirs.example/', 'https://mine.example/', 'https://mine.example/'],
])('resolveRpcUrl: with the site’s node %s and the user’s node %s returns "%s"', (siteRpcUrl, userRpcUrl, url) => {
  expect(
    resolveRpcUrl({ pin: null, rpcUrl: userRpcUrl }, { ...config, anchor: { ...anchor, rpcUrl: siteRpcUrl } }),
  ).toBe(url)
})

describe('readTrust', () => {
  const draft = { firstSigner: ` ${signer} `, contract: contract.toLowerCase(), chainId: '43114' }

  it.each([
    [{ firstSigner: ' ' }, 'firstSigner', /^Enter the first signer/],
    [{ firstSigner: '0x12' }, 'firstSigner', /40 hexadecimal digits/],
    [{ contract: contract.replace('D1', 'd1') }, 'contract', /wrong checksum/],
    [{ chainId: '0' }, 'chainId', /^Enter the chain/],
    [{ chainId: 'Avalanche' }, 'chainId', /^Enter the chain/],
  ])('rejects %o', (changes, field, message) => {
    expect(readTrust({ ...draft, ...changes })).toEqual({ problems: { [field]: expect.stringMatching(message) } })
  })

  it('accepts addresses with a valid checksum or without a checksum', () => {
    expect(readTrust(draft)).toEqual({ firstSigner: signer, domain: { chainId: 43114, verifyingContract: contract } })
  })
})
