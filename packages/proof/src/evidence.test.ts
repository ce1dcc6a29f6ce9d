import fc from 'fast-check'
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  type Answers,
  createFixedRpc,
  createTestLog,
  getQuestion,
  presentAnchorEvent,
  testDomain,
} from '../test/support/test-log.ts'
import { listAnchoredEvents, readAnchorEvidence } from './evidence.ts'

const log = createTestLog()
log.appendKeys()
log.appendAlert()
const first = log.anchor()
log.appendAlert()
const secondAnchor = log.anchor()
const answers = log.answers()
const { transactionHash } = first

const receiptQuestion = getQuestion('eth_getTransactionReceipt', [transactionHash])
const blockQuestion = getQuestion('eth_getBlockByNumber', ['0x64', false])
const receipt = { ...(answers[receiptQuestion] as object) }
const block = { ...(answers[blockQuestion] as object) }
const event = presentAnchorEvent(first)

const readEvidence = (change: Answers, domain = testDomain) =>
  readAnchorEvidence(createFixedRpc({ ...answers, ...change }), domain, transactionHash, 2)
const changeReceipt = (change: object) => ({ [receiptQuestion]: { ...receipt, ...change } })
const changeEvent = (change: object) => changeReceipt({ logs: [{ ...event, ...change }] })
const changeBlock = (change: object) => ({ [blockQuestion]: { ...block, ...change } })
const padWord = (digits: string) => digits.padStart(64, '0')

const nonsenseAnswers: [name: string, change: Answers][] = [
  ['another chain', { [getQuestion('eth_chainId', [])]: '0x1' }],
  ['a null chain id', { [getQuestion('eth_chainId', [])]: null }],
  ['a chain id as a number', { [getQuestion('eth_chainId', [])]: 43114 }],
  ['an array for a receipt', { [receiptQuestion]: [] }],
  ['a string for a receipt', { [receiptQuestion]: '0x' }],
  ['a failed request for a receipt', { [receiptQuestion]: undefined }],
  ['an empty receipt', { [receiptQuestion]: {} }],
  ['the receipt of another transaction', changeReceipt({ transactionHash: secondAnchor.transactionHash })],
  ['no status', changeReceipt({ status: undefined })],
  ['an unknown status', changeReceipt({ status: '0x2' })],
  ['no logs', changeReceipt({ logs: null })],
  ['a null log', changeReceipt({ logs: [null] })],
  ['no block hash', changeReceipt({ blockHash: null })],
  ['a negative block', changeReceipt({ blockNumber: '-0x1' })],
  ['a block beyond 2^53', changeReceipt({ blockNumber: '0x20000000000000' })],
  ['no topics', changeEvent({ topics: null })],
  ['too many topics', changeEvent({ topics: [...event.topics, event.topics[1]] })],
  ['too few topics', changeEvent({ topics: [event.topics[0]] })],
  ['a size beyond 2^53', changeEvent({ topics: [event.topics[0], `0x${padWord('20000000000000')}`] })],
  ['data of one word', changeEvent({ data: first.root })],
  ['data of three words', changeEvent({ data: `${event.data}${padWord('')}` })],
  ['data with a digit before its prefix', changeEvent({ data: `0${event.data}` })],
  ['data that is not hex', changeEvent({ data: `0x${'zz'.repeat(64)}` })],
  ['a time out of range', changeEvent({ data: `${first.root}${padWord('fffffffffffff')}` })],
  [
    'a time after the year 9999',
    {
      ...changeEvent({ data: `${first.root}${padWord((253_402_300_800).toString(16))}` }),
      ...changeBlock({ timestamp: `0x${(253_402_300_800).toString(16)}` }),
    },
  ],
  ['a time other than that of the block', changeEvent({ data: `${first.root}${padWord('1')}` })],
  ['a removed event', changeEvent({ removed: true })],
  ['an event of another transaction', changeEvent({ transactionHash: secondAnchor.transactionHash })],
  ['an event of another block', changeEvent({ blockHash: transactionHash })],
  ['an event of another height', changeEvent({ blockNumber: '0x65' })],
  ['no block', { [blockQuestion]: null }],
  ['another block at this height', changeBlock({ hash: transactionHash })],
  ['a block of another height', changeBlock({ number: '0x65' })],
  ['a block without a height', changeBlock({ number: undefined })],
  ['a hash with another prefix', changeBlock({ hash: String(event.blockHash).replace('0x', '0X') })],
  ['a block without time', changeBlock({ timestamp: null })],
  ['an object as height', { [getQuestion('eth_blockNumber', [])]: {} }],
]

describe('readAnchorEvidence', () => {
  it.each(nonsenseAnswers)('returns unavailable on %s', async (_, change) => {
    expect(await readEvidence(change)).toBe('unavailable')
  })

  it('returns unavailable when any request fails', async () => {
    for (const question of Object.keys(answers).filter(
      (key) => !key.includes(secondAnchor.transactionHash) && !key.includes('0x65'),
    )) {
      const { [question]: _gone, ...rest } = answers
      expect(await readAnchorEvidence(createFixedRpc(rest), testDomain, transactionHash, 2), question).toBe(
        'unavailable',
      )
    }
  })

  it.each([null, undefined, 7, '', 'pending', `${transactionHash}0`, {}, [transactionHash]])(
    'returns null for %j, which is not a transaction hash',
    async (hash) => {
      expect(await readAnchorEvidence(createFixedRpc(answers), testDomain, hash, 2)).toBeNull()
    },
  )

  it('returns null without a receipt or without an event of the contract', async () => {
    expect(await readEvidence({ [receiptQuestion]: null })).toBeNull()
    expect(await readEvidence(changeReceipt({ logs: [] }))).toBeNull()
    expect(await readEvidence(changeEvent({ address: `0x${'11'.repeat(20)}` }))).toBeNull()
    expect(await readEvidence(changeEvent({ topics: [transactionHash] }))).toBeNull()
  })

  it('never throws on any response', async () => {
    const questions = Object.keys(answers)
    const hostileAnswers = fc.dictionary(fc.constantFrom(...questions), fc.anything())
    const hostileFields = fc.dictionary(fc.constantFrom(...Object.keys(receipt), ...Object.keys(event)), fc.anything())
    await fc.assert(
      fc.asyncProperty(hostileAnswers, hostileFields, async (change, fields) => {
        const results = [
          await readEvidence(change),
          await readEvidence(changeReceipt(fields)),
          await readEvidence(changeEvent(fields)),
        ]
        for (const result of results) {
          if (result === null || result === 'unavailable') continue
          expect(result).toMatchObject({ size: 2, root: first.root, blockAt: first.blockAt, blockNumber: 100 })
        }
      }),
      { numRuns: 500 },
    )
  })

  it('reads the event of the contract', async () => {
    expect(await readEvidence({})).toEqual({
      status: 'success',
      contract: testDomain.verifyingContract,
      size: 2,
      root: first.root,
      blockNumber: 100,
      blockAt: first.blockAt,
      confirmations: 11,
    })
    expect(await readEvidence(changeReceipt({ status: '0x0' }))).toMatchObject({ status: 'reverted' })
    expect(await readEvidence(changeEvent({ removed: undefined }))).toMatchObject({ size: 2 })
    const lastSecond = (253_402_300_799).toString(16)
    const answersOfYear9999 = {
      ...changeEvent({ data: `${first.root}${padWord(lastSecond)}` }),
      ...changeBlock({ timestamp: `0x${lastSecond}` }),
    }
    expect(await readEvidence(answersOfYear9999)).toMatchObject({ blockAt: '9999-12-31T23:59:59.000Z' })
    expect(await readEvidence({ [getQuestion('eth_blockNumber', [])]: '0x1' })).toMatchObject({ confirmations: 1 })
  })

  it('selects the anchor with the given size', async () => {
    const otherEvent = { ...event, topics: [event.topics[0], `0x${padWord('9')}`] }
    expect(await readEvidence(changeReceipt({ logs: [otherEvent, event] }))).toMatchObject({ size: 2 })
    expect(await readEvidence(changeReceipt({ logs: [otherEvent] }))).toMatchObject({ size: 9 })
  })

  it('decodes the event as viem encodes it', async () => {
    const abi = parseAbi(['event Anchored(uint64 indexed size, bytes32 root, uint64 blockTime)'])
    const topics = encodeEventTopics({ abi, eventName: 'Anchored', args: { size: 2n } })
    const types = [{ type: 'bytes32' }, { type: 'uint64' }] as const
    const data = encodeAbiParameters(types, [first.root, BigInt(Date.parse(first.blockAt) / 1000)])
    expect(await readEvidence(changeEvent({ topics, data }))).toMatchObject({ size: 2, root: first.root })
  })
})

describe('listAnchoredEvents', () => {
  const range = { fromBlock: 0, toBlock: 110 }
  const queries: unknown[] = []
  const listEvents = (logs: unknown, blocks = range, domain = testDomain) =>
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
    [
      'descending sizes',
      [presentAnchorEvent({ ...secondAnchor, blockNumber: 100 }), presentAnchorEvent({ ...first, blockNumber: 101 })],
    ],
    ['one size twice', [event, event]],
    [
      'descending blocks',
      [presentAnchorEvent({ ...first, blockNumber: 101 }), presentAnchorEvent({ ...secondAnchor, blockNumber: 100 })],
    ],
  ])('returns unavailable on %s', async (_, logs) => {
    expect(await listEvents(logs)).toBe('unavailable')
  })

  it('returns unavailable on another chain and when requests fail', async () => {
    expect(await listEvents([], range, { ...testDomain, chainId: 1 })).toBe('unavailable')
    expect(await listAnchoredEvents(createFixedRpc({}), testDomain, range)).toBe('unavailable')
  })

  it('lists events in chain order', async () => {
    const foreignEvent = { ...event, address: `0x${'11'.repeat(20)}` }
    const events = await listEvents([event, foreignEvent, presentAnchorEvent(secondAnchor)])
    expect(events).toMatchObject([
      { size: 2, root: first.root, blockAt: first.blockAt, blockNumber: 100, transactionHash },
      { size: 3, root: secondAnchor.root },
    ])
  })

  it('lists events of the first and last block, and returns unavailable on an event outside the range', async () => {
    const sameBlockEvents = [event, presentAnchorEvent({ ...secondAnchor, blockNumber: 100 })]
    expect(await listEvents(sameBlockEvents, { fromBlock: 100, toBlock: 100 })).toMatchObject([
      { size: 2 },
      { size: 3 },
    ])
    expect(await listEvents([event], { fromBlock: 101, toBlock: 110 })).toBe('unavailable')
    expect(await listEvents([event], { fromBlock: 90, toBlock: 99 })).toBe('unavailable')
  })

  it('limits the range of each query', async () => {
    queries.length = 0
    expect(await listEvents([], { fromBlock: 0, toBlock: 4000 })).toEqual([])
    expect(queries).toMatchObject([
      { address: testDomain.verifyingContract, topics: [event.topics[0]], fromBlock: '0x0', toBlock: '0x7cf' },
      { fromBlock: '0x7d0', toBlock: '0xf9f' },
      { fromBlock: '0xfa0', toBlock: '0xfa0' },
    ])
  })
})
