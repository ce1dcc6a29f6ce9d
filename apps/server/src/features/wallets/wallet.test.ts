import { describe, expect, test } from 'vitest'
import { assertLinkable, findMatchingWallet } from './wallet.ts'

const [KEY, UNKNOWN, HERE, THERE] = [0, -1, 1, 43114]
const both = [HERE, THERE]
const rows = (...chainIds: number[]) => chainIds.map((chainId) => ({ accountId: `of ${chainId}`, chainId }))

describe('findMatchingWallet: matches', () => {
  test.each<[string, number[], number, number[], number | null]>([
    ['nothing for a contract on another chain', [HERE], THERE, both, null],
    ['no contract wallet for a key', [HERE], KEY, both, null],
    ['no key wallet for a contract', [KEY], HERE, both, null],
    ['nothing of unknown chain for a contract when several chains are configured', [UNKNOWN], HERE, both, null],
    ['nothing of unknown chain for a contract when only another chain is configured', [UNKNOWN], HERE, [THERE], null],
    ['the wallet of the same chain for a contract', [HERE, THERE], THERE, both, THERE],
    ['the key wallet for a key', [KEY], KEY, both, KEY],
    ['a wallet of unknown chain for a key', [UNKNOWN], KEY, both, UNKNOWN],
    ['a wallet of unknown chain for a contract when one chain is configured', [UNKNOWN], HERE, [HERE], UNKNOWN],
  ])('%s', (_name, linked, chainId, configuredChainIds, opened) => {
    expect(findMatchingWallet(rows(...linked), { chainId, configuredChainIds })?.chainId ?? null).toBe(opened)
  })
})

describe('assertLinkable', () => {
  test.each<[string, number[], number, RegExp]>([
    ['the same wallet', [HERE], HERE, /belongs to another account/],
    ['a contract where a key has linked the address', [KEY], HERE, /its own key/],
    ['a key where a contract has linked the address', [HERE], KEY, /contract wallet on/],
    ['a wallet of unknown chain', [UNKNOWN], HERE, /before the server recorded/],
  ])('rejects %s of another account', (_name, linked, chainId, message) => {
    for (const accountId of ['somebody', null]) {
      expect(() => assertLinkable(rows(...linked), chainId, accountId)).toThrow(message)
    }
  })

  test.each<[string, number[], number, string]>([
    ['contracts of two accounts on two chains', [HERE], THERE, 'somebody'],
    ['one account with a key and contracts', [KEY], HERE, `of ${KEY}`],
    ['one account with a contract and its key', [HERE], KEY, `of ${HERE}`],
  ])('accepts %s', (_name, linked, chainId, accountId) => {
    expect(() => assertLinkable(rows(...linked), chainId, accountId)).not.toThrow()
  })
})
