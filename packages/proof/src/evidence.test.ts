import fc from 'fast-check'
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Answers, createTestLog, getQuestion, presentLog, rpcFrom, testDomain } from '../test/support/test-log.ts'
import { listAnchoredEvents, readAnchorEvidence } from './evidence.ts'

const log = createTestLog()
log.appendKeys()
log.appendAlert()
const first = log.anchor()
log.appendAlert()
const second = log.anchor()
const answers = log.answers()
const { transactionHash } = first

const receiptQuestion = getQuestion('eth_getTransactionReceipt', [transactionHash])
const blockQuestion = getQuestion('eth_getBlockByNumber', ['0x64', false])
const receipt = { ...(answers[receiptQuestion] as object) }
const block = { ...(answers[blockQuestion] as object) }
const event = presentLog(first)

const read = (change: Answers, domain = testDomain) =>
  readAnchorEvidence(rpcFrom({ ...answers, ...change }), domain, transactionHash, 2)
const withReceipt = (change: object) => ({ [receiptQuestion]: { ...receipt, ...change } })
const withEvent = (change: object) => withReceipt({ logs: [{ ...event, ...change }] })
const withBlock = (change: object) => ({ [blockQuestion]: { ...block, ...change } })
const word = (digits: string) => digits.padStart(64, '0')

const nonsense: [name: string, change: Answers][] = [
  ['another chain', { [getQuestion('eth_chainId', [])]: '0x1' }],
  ['a null chain id', { [getQuestion('eth_chainId', [])]: null }],
  ['a chain id as a number', { [getQuestion('eth_chainId', [])]: 43114 }],
  ['an array for a receipt', { [receiptQuestion]: [] }],
  ['a string for a receipt', { [receiptQuestion]: '0x' }],
  ['a failed request for a receipt', { [receiptQuestion]: undefined }],
  ['an empty receipt', { [receiptQuestion]: {} }],
  ['the receipt of another transaction', withReceipt({ transactionHash: second.transactionHash })],
  ['no status', withReceipt({ status: undefined })],
  ['an unknown status', withReceipt({ status: '0x2' })],
  ['no logs', withReceipt({ logs: null })],
  ['a null log', withReceipt({ logs: [null] })],
  ['no block hash', withReceipt({ blockHash: null })],
  ['a negative block', withReceipt({ blockNumber: '-0x1' })],
  ['a block beyond 2^53', withReceipt({ blockNumber: '0x20000000000000' })],
  ['no topics', withEvent({ topics: null })],
  ['too many topics', withEvent({ topics: [...event.topics, event.topics[1]] })],
  ['too few topics', withEvent({ topics: [event.topics[0]] })],
  ['a size beyond 2^53', withEvent({ topics: [event.topics[0], `0x${word('20000000000000')}`] })],
  ['data of one word', withEvent({ data: first.root })],
  ['data of three words', withEvent({ data: `${event.data}${word('')}` })],
  ['data with a digit before its prefix', withEvent({ data: `0${event.data}` })],
  ['data that is not hex', withEvent({ data: `0x${'zz'.repeat(64)}` })],
  ['a time out of range', withEvent({ data: `${first.root}${word('fffffffffffff')}` })],
  [
    'a time after the year 9999',
    {
      ...withEvent({ data: `${first.root}${word((253_402_300_800).toString(16))}` }),
      ...withBlock({ timestamp: `0x${(253_402_300_800).toString(16)}` }),
    },
  ],
  ['a time other than that of the block', withEvent({ data: `${first.root}${word('1')}` })],
  ['a removed event', withEvent({ removed: true })],
  ['an event of another transaction', withEvent({ transactionHash: second.transactionHash })],
  ['an event of another block', withEvent({ blockHash: transactionHash })],
  ['an event of another height', withEvent({ blockNumber: '0x65' })],
  ['no block', { [blockQuestion]: null }],
  ['another block at this height', withBlock({ hash: transactionHash })],
  ['a block of another height', withBlock({ number: '0x65' })],
  ['a block without a height', withBlock({ number: undefined })],
  ['a hash with another prefix', withBlock({ hash: String(event.blockHash).replace('0x', '0X') })],
  ['a block without time', withBlock({ timestamp: null })],
  ['an object as height', { [getQuestion('eth_blockNumber', [])]: {} }],
]

describe('readAnchorEvidence', () => {
  it.each(nonsense)('returns unavailable on %s', async (_, change) => {
    expect(await read(change)).toBe('unavailable')
  })

  it('returns unavailable when any request fails', async () => {
    for (const question of Object.keys(answers).filter(
      (key) => !key.includes(second.transactionHash) && !key.includes('0x65'),
    )) {
      const { [question]: _gone, ...rest } = answers
      expect(await readAnchorEvidence(rpcFrom(rest), testDomain, transactionHash, 2), question).toBe('unavailable')
    }
  })

  it.each([null, undefined, 7, '', 'pending', `${transactionHash}0`, {}, [transactionHash]])(
    'finds nothing for %j',
    async (hash) => {
      expect(await readAnchorEvidence(rpcFrom(answers), testDomain, hash, 2)).toBeNull()
    },
  )

  it('returns null without a receipt or without an event of the contract', async () => {
    expect(await read({ [receiptQuestion]: null })).toBeNull()
    expect(await read(withReceipt({ logs: [] }))).toBeNull()
    expect(await read(withEvent({ address: `0x${'11'.repeat(20)}` }))).toBeNull()
    expect(await read(withEvent({ topics: [transactionHash] }))).toBeNull()
  })

  it('never throws on any response', async () => {
    const questions = Object.keys(answers)
    const hostile = fc.dictionary(fc.constantFrom(...questions), fc.anything())
    const inside = fc.dictionary(fc.constantFrom(...Object.keys(receipt), ...Object.keys(event)), fc.anything())
    await fc.assert(
      fc.asyncProperty(hostile, inside, async (change, fields) => {
        const found = [await read(change), await read(withReceipt(fields)), await read(withEvent(fields))]
        for (const one of found) {
          if (one === null || one === 'unavailable') continue
          expect(one).toMatchObject({ size: 2, root: first.root, blockAt: first.blockAt, blockNumber: 100 })
        }
      }),
      { numRuns: 500 },
    )
  })

  it('reads the event of the contract', async () => {
    expect(await read({})).toEqual({
      status: 'success',
      contract: testDomain.verifyingContract,
      size: 2,
      root: first.root,
      blockNumber: 100,
      blockAt: first.blockAt,
      confirmations: 11,
    })
    expect(await read(withReceipt({ status: '0x0' }))).toMatchObject({ status: 'reverted' })
    expect(await read(withEvent({ removed: undefined }))).toMatchObject({ size: 2 })
    const lastSecond = (253_402_300_799).toString(16)
    const ofYear9999 = {
      ...withEvent({ data: `${first.root}${word(lastSecond)}` }),
      ...withBlock({ timestamp: `0x${lastSecond}` }),
    }
    expect(await read(ofYear9999)).toMatchObject({ blockAt: '9999-12-31T23:59:59.000Z' })
    expect(await read({ [getQuestion('eth_blockNumber', [])]: '0x1' })).toMatchObject({ confirmations: 1 })
  })

  it('selects the anchor with the given size', async () => {
    const other = { ...event, topics: [event.topics[0], `0x${word('9')}`] }
    expect(await read(withReceipt({ logs: [other, event] }))).toMatchObject({ size: 2 })
    expect(await read(withReceipt({ logs: [other] }))).toMatchObject({ size: 9 })
  })

  it('decodes the event as viem encodes it', async () => {
    const abi = parseAbi(['event Anchored(uint64 indexed size, bytes32 root, uint64 blockTime)'])
    const topics = encodeEventTopics({ abi, eventName: 'Anchored', args: { size: 2n } })
    const types = [{ type: 'bytes32' }, { type: 'uint64' }] as const
    const data = encodeAbiParameters(types, [first.root, BigInt(Date.parse(first.blockAt) / 1000)])
    expect(await read(withEvent({ topics, data }))).toMatchObject({ size: 2, root: first.root })
  })
})

describe('listAnchoredEvents', () => {
  const range = { fromBlock: 0, toBlock: 110 }
  const queries: unknown[] = []
  const list = (logs: unknown, blocks = range, domain = testDomain) =>
    listAnchoredEvents(
      async (method, params) => {
        if (method === 'eth_chainId') return '0xa86a'
        expect(method).toBe('eth_getLogs')
        queries.push(...params)
        return logs
      },
      domain,
      blocks,
    )

  it.each([
    ['an object instead of a list', {}],
    ['a malformed event', [{ ...event, data: '0x' }]],
    ['an event of another block', [{ ...event, blockNumber: '0x6f' }]],
    ['descending sizes', [presentLog({ ...second, blockNumber: 100 }), presentLog({ ...first, blockNumber: 101 })]],
    ['one size twice', [event, event]],
    ['descending blocks', [presentLog({ ...first, blockNumber: 101 }), presentLog({ ...second, blockNumber: 100 })]],
  ])('returns unavailable on %s', async (_, logs) => {
    expect(await list(logs)).toBe('unavailable')
  })

  it('returns unavailable on another chain and when requests fail', async () => {
    expect(await list([], range, { ...testDomain, chainId: 1 })).toBe('unavailable')
    expect(await listAnchoredEvents(rpcFrom({}), testDomain, range)).toBe('unavailable')
  })

  it('lists events in chain order', async () => {
    const foreign = { ...event, address: `0x${'11'.repeat(20)}` }
    const events = await list([event, foreign, presentLog(second)])
    expect(events).toMatchObject([
      { size: 2, root: first.root, blockAt: first.blockAt, blockNumber: 100, transactionHash },
      { size: 3, root: second.root },
    ])
  })

  it('lists events of the first and the last block, and none outside the range', async () => {
    const sameBlock = [event, presentLog({ ...second, blockNumber: 100 })]
    expect(await list(sameBlock, { fromBlock: 100, toBlock: 100 })).toMatchObject([{ size: 2 }, { size: 3 }])
    expect(await list([event], { fromBlock: 101, toBlock: 110 })).toBe('unavailable')
    expect(await list([event], { fromBlock: 90, toBlock: 99 })).toBe('unavailable')
  })

  it('limits the range of each query', async () => {
    queries.length = 0
    expect(await list([], { fromBlock: 0, toBlock: 4000 })).toEqual([])
    expect(queries).toMatchObject([
      { address: testDomain.verifyingContract, topics: [event.topics[0]], fromBlock: '0x0', toBlock: '0x7cf' },
      { fromBlock: '0x7d0', toBlock: '0xf9f' },
      { fromBlock: '0xfa0', toBlock: '0xfa0' },
    ])
  })
})
