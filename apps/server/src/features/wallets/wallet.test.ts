import { describe, expect, test } from 'vitest'
import { assertLinkable, findMatchingWallet } from './wallet.ts'

const [KEY_CHAIN_ID, UNKNOWN_CHAIN_ID, CHAIN_ID, OTHER_CHAIN_ID] = [0, -1, 1, 43114]
const bothChainIds = [CHAIN_ID, OTHER_CHAIN_ID]
const createRows = (...chainIds: number[]) => chainIds.map((chainId) => ({ accountId: `of ${chainId}`, chainId }))

describe('findMatchingWallet: matches', () => {
  test.each<[string, number[], number, number[], number | null]>([
    ['nothing for a contract on another chain', [CHAIN_ID], OTHER_CHAIN_ID, bothChainIds, null],
    ['no contract wallet for a key', [CHAIN_ID], KEY_CHAIN_ID, bothChainIds, null],
    ['no key wallet for a contract', [KEY_CHAIN_ID], CHAIN_ID, bothChainIds, null],
    [
      'nothing of unknown chain for a contract when several chains are configured',
      [UNKNOWN_CHAIN_ID],
      CHAIN_ID,
      bothChainIds,
      null,
    ],
    [
      'nothing of unknown chain for a contract when only another chain is configured',
      [UNKNOWN_CHAIN_ID],
      CHAIN_ID,
      [OTHER_CHAIN_ID],
      null,
    ],
    [
      'the wallet of the same chain for a contract',
      [CHAIN_ID, OTHER_CHAIN_ID],
      OTHER_CHAIN_ID,
      bothChainIds,
      OTHER_CHAIN_ID,
    ],
    ['the key wallet for a key', [KEY_CHAIN_ID], KEY_CHAIN_ID, bothChainIds, KEY_CHAIN_ID],
    ['a wallet of unknown chain for a key', [UNKNOWN_CHAIN_ID], KEY_CHAIN_ID, bothChainIds, UNKNOWN_CHAIN_ID],
    [
      'a wallet of unknown chain for a contract when one chain is configured',
      [UNKNOWN_CHAIN_ID],
      CHAIN_ID,
      [CHAIN_ID],
      UNKNOWN_CHAIN_ID,
    ],
  ])('%s', (_name, linkedChainIds, chainId, configuredChainIds, expectedChainId) => {
    expect(findMatchingWallet(createRows(...linkedChainIds), { chainId, configuredChainIds })?.chainId ?? null).toBe(
      expectedChainId,
    )
  })
})

describe('assertLinkable', () => {
  test.each<[string, number[], number, RegExp]>([
    ['the same wallet', [CHAIN_ID], CHAIN_ID, /belongs to another account/],
    ['a contract where a key has linked the address', [KEY_CHAIN_ID], CHAIN_ID, /its own key/],
    ['a key where a contract has linked the address', [CHAIN_ID], KEY_CHAIN_ID, /contract wallet on/],
    ['a wallet of unknown chain', [UNKNOWN_CHAIN_ID], CHAIN_ID, /before the server recorded/],
  ])('rejects %s of another account', (_name, linkedChainIds, chainId, message) => {
    for (const accountId of ['other-account', null]) {
      expect(() => assertLinkable(createRows(...linkedChainIds), chainId, accountId)).toThrow(message)
    }
  })

  test.each<[string, number[], number, string]>([
    ['contracts of two accounts on two chains', [CHAIN_ID], OTHER_CHAIN_ID, 'other-account'],
    ['one account with a key and contracts', [KEY_CHAIN_ID], CHAIN_ID, `of ${KEY_CHAIN_ID}`],
    ['one account with a contract and its key', [CHAIN_ID], KEY_CHAIN_ID, `of ${CHAIN_ID}`],
  ])('accepts %s', (_name, linkedChainIds, chainId, accountId) => {
    expect(() => assertLinkable(createRows(...linkedChainIds), chainId, accountId)).not.toThrow()
  })
})
