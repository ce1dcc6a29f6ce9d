import { describe, expect, test } from 'vitest'
import { assertFree, findOpened } from './wallet.ts'

const [KEY, UNKNOWN, HERE, THERE] = [0, -1, 1, 43114]
const both = [HERE, THERE]
const rows = (...chainIds: number[]) => chainIds.map((chainId) => ({ accountId: `of ${chainId}`, chainId }))

describe('a proof opens', () => {
  test.each<[string, number[], number, number[], number | null]>([
    ['a contract on another chain nothing', [HERE], THERE, both, null],
    ['a key nothing of a contract', [HERE], KEY, both, null],
    ['a contract nothing of a key', [KEY], HERE, both, null],
    ['a contract nothing of unknown origin when several chains are configured', [UNKNOWN], HERE, both, null],
    ['a contract nothing of unknown origin when only another chain is configured', [UNKNOWN], HERE, [THERE], null],
    ['a contract what was linked on its chain', [HERE, THERE], THERE, both, THERE],
    ['a key what a key has linked', [KEY], KEY, both, KEY],
    ['a key what is of unknown origin', [UNKNOWN], KEY, both, UNKNOWN],
    ['a contract what is of unknown origin when there is one chain', [UNKNOWN], HERE, [HERE], UNKNOWN],
  ])('%s', (_name, linked, chainId, configuredChainIds, opened) => {
    expect(findOpened(rows(...linked), { chainId, configuredChainIds })?.chainId ?? null).toBe(opened)
  })
})

describe('a link', () => {
  test.each<[string, number[], number, RegExp]>([
    ['the same wallet', [HERE], HERE, /belongs to another account/],
    ['a contract where a key has linked the address', [KEY], HERE, /its own key/],
    ['a key where a contract has linked the address', [HERE], KEY, /contract wallet on/],
    ['anything of unknown origin', [UNKNOWN], HERE, /before the server noted/],
  ])('is refused for %s of another account', (_name, linked, chainId, message) => {
    for (const accountId of ['somebody', null]) {
      expect(() => assertFree(rows(...linked), chainId, accountId)).toThrow(message)
    }
  })

  test.each<[string, number[], number, string]>([
    ['contracts of two accounts on two chains', [HERE], THERE, 'somebody'],
    ['one account with a key and contracts', [KEY], HERE, `of ${KEY}`],
    ['one account with a contract and its key', [HERE], KEY, `of ${HERE}`],
  ])('is free for %s', (_name, linked, chainId, accountId) => {
    expect(() => assertFree(rows(...linked), chainId, accountId)).not.toThrow()
  })
})
