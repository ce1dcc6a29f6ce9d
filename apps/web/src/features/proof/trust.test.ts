import type { PublicConfig } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { pinTrust, publishedTrust, readKeptTrust, rpcUrlOf, trustForm, trustOf } from './trust.ts'

const signer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const contract = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'
const anchor = { chainId: 43114, chainName: 'Avalanche', contract, rpcUrl: null, intervalSeconds: 5 }
// Of the configuration only these two are read.
const config = { firstSigner: signer, anchor } as unknown as PublicConfig
const nothingKept = { pin: null, rpcUrl: null }
const at = new Date('2026-11-21T14:00:00.000Z')

describe('what is trusted', () => {
  it('is what the site names until something is pinned', () => {
    expect(trustOf(nothingKept, config)).toEqual({
      firstSigner: signer,
      domain: { chainId: 43114, verifyingContract: contract },
    })
  })

  it('stays what was pinned, whatever the site names later', () => {
    const pin = pinTrust(publishedTrust(config), false, at)
    const changed = { ...config, firstSigner: other }
    expect(trustOf(readKeptTrust({ pin, rpcUrl: null }), changed).firstSigner).toBe(signer)
  })

  it.each([[null], ['x'], [{ pin: { firstSigner: 'x' } }], [{ pin: 5, rpcUrl: 5 }]])('takes nothing of %o', (value) => {
    expect(readKeptTrust(value)).toEqual(nothingKept)
  })
})

it.each([
  [null, null, ''],
  ['https://theirs.example/', null, 'https://theirs.example/'],
  ['https://theirs.example/', 'https://mine.example/', 'https://mine.example/'],
])('of %s and %s asks "%s"', (theirs, mine, url) => {
  expect(rpcUrlOf({ pin: null, rpcUrl: mine }, { ...config, anchor: { ...anchor, rpcUrl: theirs } })).toBe(url)
})

describe('trustForm', () => {
  const draft = { firstSigner: ` ${signer} `, contract: contract.toLowerCase(), chainId: '43114' }

  it.each([
    [{ firstSigner: ' ' }, 'firstSigner', /^Enter the first signer/],
    [{ firstSigner: '0x12' }, 'firstSigner', /40 hexadecimal digits/],
    [{ contract: contract.replace('D1', 'd1') }, 'contract', /wrong checksum/],
    [{ chainId: '0' }, 'chainId', /^Enter the chain/],
    [{ chainId: 'Avalanche' }, 'chainId', /^Enter the chain/],
  ])('refuses %o', (changes, field, message) => {
    const issues = trustForm.safeParse({ ...draft, ...changes }).error?.issues
    expect(issues?.map(({ path }) => path.join())).toEqual([field])
    expect(issues?.[0]?.message).toMatch(message)
  })

  it('takes addresses with a right checksum or none', () => {
    expect(trustForm.parse(draft)).toEqual({ firstSigner: signer, contract, chainId: 43114 })
  })
})
