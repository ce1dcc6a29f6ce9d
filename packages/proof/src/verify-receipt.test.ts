import { bytesToUtf8 } from '@noble/hashes/utils'
import { hashTypedData } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  type Answers,
  createFixedRpc,
  createTestLog,
  getQuestion,
  testDomain,
  testKeys,
  testSigners,
} from '../test/support/test-log.ts'
import { type Address, bytesToHex, type Hex } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import { decodeReceipt, encodeReceipt, parseReceipt, type ReceiptStatement } from './receipt.ts'
import { parseReceiptFile, type ReceiptFile } from './receipt-file.ts'
import { signDigest } from './signature.ts'
import { hashReceipt, receiptTypedMessage, statementTypes } from './typed-data.ts'
import { verifyReceipt } from './verify-receipt.ts'

const [firstSigner = '0x', secondSigner = '0x', thirdSigner = '0x'] = testSigners
const token: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const treasury: Address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const payer: Address = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'
const transactionHash: Hex = `0x${'ab'.repeat(32)}`
const paymentChainId = 137
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A log whose key was rotated at entry 3, so that the second key signs from entry 4. */
const log = createTestLog()
log.appendKeys()
log.appendAlert()
log.appendAlert()
log.appendKeys()
log.appendAlert()
log.anchor()

/** A log like `log`, in which a third key list is appended at entry 5 and is not anchored. */
const logWithPendingKeys = createTestLog()
logWithPendingKeys.appendKeys()
logWithPendingKeys.appendAlert()
logWithPendingKeys.appendAlert()
logWithPendingKeys.appendKeys()
logWithPendingKeys.appendAlert()
logWithPendingKeys.anchor()
logWithPendingKeys.appendKeys()

const receipt: ReceiptStatement = {
  kind: 'receipt',
  id: '7b0c1f6e-2f6a-4a57-9a35-0d5b8c4f9e10',
  plan: '24h',
  startsAt: '2026-01-15T12:00:00.000Z',
  endsAt: '2026-01-16T12:00:00.000Z',
  chainId: paymentChainId,
  token,
  treasury,
  payments: [{ payer, amountWei: '30000000000000000000', transactionHash, logIndex: 1 }],
  issuedAt: '2026-01-15T12:00:01.234Z',
  logSize: 5,
  signer: secondSigner,
}

function signReceipt(statement: ReceiptStatement, keyIndex = 1): ReceiptFile {
  const { chainId, verifyingContract: contract } = testDomain
  return {
    format: 'tocsin-receipt',
    version: 1,
    anchor: { chainId, contract, rpcUrl: null },
    firstSigner,
    keys: log.keyEntries(),
    bytes: bytesToUtf8(encodeReceipt(statement)),
    signature: signDigest(hashReceipt(testDomain, statement), testKeys[keyIndex] ?? new Uint8Array(32)),
    paymentRpcUrl: null,
  }
}

const padWord = (hex: string) => `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`
const blockHash = `0x${'cd'.repeat(32)}`
const transfer = {
  address: token.toLowerCase(),
  topics: [transferTopic, padWord(payer), padWord(treasury)],
  data: padWord((30n * 10n ** 18n).toString(16)),
}

/** Responses of a node of the payment chain. */
function createPaymentAnswers(change: { log?: object; receipt?: object | null; chainId?: string } = {}): Answers {
  const knownReceipt = {
    transactionHash,
    blockHash,
    blockNumber: '0x10',
    status: '0x1',
    logs: [
      { ...transfer, data: padWord('1') },
      { ...transfer, ...change.log },
    ],
    ...change.receipt,
  }
  return {
    [getQuestion('eth_chainId', [])]: change.chainId ?? '0x89',
    [getQuestion('eth_blockNumber', [])]: '0x12',
    [getQuestion('eth_getTransactionReceipt', [transactionHash])]: change.receipt === null ? null : knownReceipt,
    [getQuestion('eth_getBlockByNumber', ['0x10', false])]: { hash: blockHash, number: '0x10', timestamp: '0x1' },
  }
}

const trust = { firstSigner, domain: testDomain }
const failingRpc: Rpc = async () => {
  throw new Error('The connection failed')
}

function verifyTestReceipt(
  file: ReceiptFile,
  answers: Answers | null = createPaymentAnswers(),
  rpc = createFixedRpc(log.answers()),
) {
  return verifyReceipt(file, { trust, rpc, paymentRpc: answers ? createFixedRpc(answers) : failingRpc })
}

describe('encodeReceipt', () => {
  const [payment] = receipt.payments
  const listPayments = (length: number) => Array.from({ length }, (_, logIndex) => ({ ...payment, logIndex }))
  it.each([
    ['kind', { kind: 'alert' }],
    ['plan', { plan: '\ud800' }],
    ['endsAt', { endsAt: receipt.startsAt }],
    ['startsAt', { startsAt: '2026-01-15T12:00:00Z' }],
    ['chainId', { chainId: 0 }],
    ['token', { token: token.toLowerCase() }],
    ['payments', { payments: [] }],
    ['payments', { payments: [payment, payment] }],
    ['payments', { payments: [{ ...payment, amountWei: '0' }] }],
    ['payments', { payments: [{ ...payment, amountWei: '030' }] }],
    ['payments', { payments: [{ ...payment, amountWei: (2n ** 256n).toString() }] }],
    ['payments', { payments: [{ ...payment, amountWei: 30 }] }],
    ['payments', { payments: [{ ...payment, logIndex: -1 }] }],
    ['logSize', { logSize: 1.5 }],
    ['signer', { signer: null }],
    ['id', { id: '\ud800' }],
    ['treasury', { treasury: treasury.toLowerCase() }],
    ['issuedAt', { issuedAt: '2026-01-15T12:00:00Z' }],
    ['a list of 1 to 100 transfers', { payments: listPayments(101) }],
    ['a list of transfers', { payments: [null] }],
    ['a list of transfers', { payments: ['transfer'] }],
    ['with checksummed addresses of the payers', { payments: [{ ...payment, payer: payer.toLowerCase() }] }],
    ['of amounts in base units', { payments: [{ ...payment, amountWei: '30x' }] }],
    ['in transactions of 0x', { payments: [{ ...payment, transactionHash: '0xab' }] }],
  ])('rejects a wrong field with an error that contains "%s"', (field, change) => {
    // The table contains values that TypeScript would reject.
    const wrongReceipt = { ...receipt, ...change } as unknown as ReceiptStatement
    expect(() => encodeReceipt(wrongReceipt)).toThrow(field)
  })

  it('rejects values that are not objects, and accepts 100 payments', () => {
    for (const malformedReceipt of [null, 'receipt'])
      expect(() => parseReceipt(malformedReceipt)).toThrow('The receipt is not an object')
    expect(parseReceipt({ ...receipt, payments: listPayments(100) }).payments).toHaveLength(100)
  })

  it('round-trips through decodeReceipt, which rejects an encoding that is not canonical', () => {
    const bytes = encodeReceipt(receipt)
    expect(decodeReceipt(bytes)).toEqual(receipt)
    const spacedBytes = new TextEncoder().encode(bytesToUtf8(bytes).replace('{', '{ '))
    expect(() => decodeReceipt(spacedBytes)).toThrow('canonical')
  })
})

describe('hashReceipt', () => {
  it.each<Partial<ReceiptStatement>>([
    {},
    { plan: '' },
    {
      payments: [...receipt.payments, { payer, amountWei: (2n ** 256n - 1n).toString(), transactionHash, logIndex: 0 }],
    },
  ])('agrees with viem on %j', (change) => {
    const changedReceipt = { ...receipt, ...change }
    const { Receipt, ReceiptPayment } = statementTypes
    const hash = hashTypedData({
      domain: { name: 'Tocsin', version: '1', ...testDomain },
      types: { Receipt, ReceiptPayment },
      primaryType: 'Receipt',
      message: receiptTypedMessage(changedReceipt),
    })
    expect(bytesToHex(hashReceipt(testDomain, changedReceipt))).toBe(hash)
  })
})

describe('verifyReceipt', () => {
  const otherAddress = '0x52908400098527886E0F7030069857D2E4169EE7'
  it.each<[string, Partial<ReceiptFile>, Answers | null, string, RegExp]>([
    ['other bytes', { bytes: signReceipt(receipt).bytes.replace('24h', '72h') }, null, 'signature', /leads to/],
    ['no canonical bytes', { bytes: '{}' }, null, 'content', /kind/],
    ['a malformed signature', { signature: '0x00' }, null, 'signature', /malformed/],
    [
      'the key of earlier entries',
      signReceipt({ ...receipt, signer: firstSigner }, 0),
      null,
      'signature',
      /entries 0 to 3, not/,
    ],
    [
      'the later key for an earlier time',
      signReceipt({ ...receipt, logSize: 3 }),
      null,
      'signature',
      /entries from 4 on, not/,
    ],
    [
      'a key that is in no list',
      signReceipt({ ...receipt, signer: thirdSigner }, 2),
      null,
      'signature',
      /is not a published key/,
    ],
    ['another log', { firstSigner: otherAddress }, null, 'signature', /first key/],
    ['no key lists', { keys: [] }, null, 'signature', /no key list/],
    ['an unknown transaction', {}, createPaymentAnswers({ receipt: null }), 'payment', /no such transfer/],
    ['a reverted transaction', {}, createPaymentAnswers({ receipt: { status: '0x0' } }), 'payment', /reverted/],
    [
      'no transfer at the log index',
      {},
      createPaymentAnswers({ receipt: { logs: [] } }),
      'payment',
      /no such transfer/,
    ],
    ['another event', {}, createPaymentAnswers({ log: { topics: [padWord('1')] } }), 'payment', /no such transfer/],
    [
      'another event with the topics of a transfer',
      {},
      createPaymentAnswers({ log: { topics: [padWord('1'), padWord(payer), padWord(treasury)] } }),
      'payment',
      /no such transfer/,
    ],
    [
      'a transfer of a single token (ERC-721)',
      {},
      createPaymentAnswers({ log: { topics: [...transfer.topics, padWord('1')] } }),
      'payment',
      /no such transfer/,
    ],
    [
      'data of two words',
      {},
      createPaymentAnswers({ log: { data: `${transfer.data}${'0'.repeat(64)}` } }),
      'payment',
      /no such transfer/,
    ],
    [
      'data with a digit before its prefix',
      {},
      createPaymentAnswers({ log: { data: `0${transfer.data}` } }),
      'payment',
      /no such transfer/,
    ],
    ['no data', {}, createPaymentAnswers({ log: { data: null } }), 'payment', /no such transfer/],
    ['another token', {}, createPaymentAnswers({ log: { address: otherAddress } }), 'payment', /of the token/],
    [
      'another payer',
      {},
      createPaymentAnswers({ log: { topics: [transferTopic, padWord(otherAddress), padWord(treasury)] } }),
      'payment',
      /from/,
    ],
    [
      'another recipient',
      {},
      createPaymentAnswers({ log: { topics: [transferTopic, padWord(payer), padWord(otherAddress)] } }),
      'payment',
      / to /,
    ],
    ['another amount', {}, createPaymentAnswers({ log: { data: padWord('1') } }), 'payment', /amount/],
  ])('fails on %s', async (_, change, answers, failed, reason) => {
    const verification = await verifyTestReceipt(
      { ...signReceipt(receipt), ...change },
      answers ?? createPaymentAnswers(),
    )
    const step = ['content', 'signature', 'payment'].indexOf(failed) + 1
    expect(verification).toMatchObject({ verdict: 'failed', failed, step })
    expect(verification.checks.slice(step).every(({ status }) => status === 'skipped')).toBe(true)
    expect(verification.checks.find(({ id }) => id === failed)?.reason).toMatch(reason)
  })

  it.each<[string, Answers | null, Rpc | undefined]>([
    ['for payments is unreachable', null, undefined],
    ['for payments is on another chain', createPaymentAnswers({ chainId: '0x1' }), undefined],
    [
      'for payments sends another receipt',
      createPaymentAnswers({ receipt: { transactionHash: `0x${'ac'.repeat(32)}` } }),
      undefined,
    ],
    ['for payments sends no logs', createPaymentAnswers({ receipt: { logs: null } }), undefined],
    ['for payments sends a log without topics', createPaymentAnswers({ log: { topics: null } }), undefined],
    ['for payments reports another block', createPaymentAnswers({ receipt: { blockNumber: '0x11' } }), undefined],
    ['for anchors is unreachable', createPaymentAnswers(), failingRpc],
  ])('returns unavailable when the node %s', async (_, answers, rpc) => {
    expect((await verifyTestReceipt(signReceipt(receipt), answers, rpc)).verdict).toBe('unavailable')
  })

  it.each([
    ['verified', 'the first entry after those that the receipt covers', { logSize: 5, signer: secondSigner }, 1],
    ['unavailable', 'one of the entries that the receipt covers', { logSize: 6, signer: thirdSigner }, 2],
  ])('returns %s when an unanchored key list is %s', async (verdict, _, change, keyAt) => {
    const file = { ...signReceipt({ ...receipt, ...change }, keyAt), keys: logWithPendingKeys.keyEntries() }
    const rpc = createFixedRpc(logWithPendingKeys.answers())
    expect((await verifyTestReceipt(file, createPaymentAnswers(), rpc)).verdict).toBe(verdict)
  })

  it('fails on an unknown transaction even when the node does not respond for an earlier one', async () => {
    const unknownHash: Hex = `0x${'ac'.repeat(32)}`
    const [payment] = receipt.payments
    if (!payment) throw new Error('The receipt has no payment')
    const file = signReceipt({ ...receipt, payments: [payment, { ...payment, transactionHash: unknownHash }] })
    const answers: Answers = {
      ...createPaymentAnswers(),
      [getQuestion('eth_getTransactionReceipt', [unknownHash])]: null,
    }
    delete answers[getQuestion('eth_getTransactionReceipt', [transactionHash])]
    expect(await verifyTestReceipt(file, answers)).toMatchObject({ verdict: 'failed', failed: 'payment' })
  })

  it('verifies a valid receipt from its file', async () => {
    const file = parseReceiptFile(JSON.parse(JSON.stringify(signReceipt(receipt))))
    const { verdict, step, checks, statement } = await verifyTestReceipt(file)
    expect(checks.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      expect.stringMatching(/^passed The content/),
      expect.stringMatching(/^passed Signer .* entries from 4 on$/),
      expect.stringMatching(
        /^passed The transaction abab…abab in block 16 moved the stated amount .* 3 confirmations$/,
      ),
    ])
    expect([verdict, step]).toEqual(['verified', null])
    expect(statement).toEqual(receipt)
  })

  it('names a single confirmation in the singular', async () => {
    const answers: Answers = { ...createPaymentAnswers(), [getQuestion('eth_blockNumber', [])]: '0x10' }
    const { verdict, checks } = await verifyTestReceipt(signReceipt(receipt), answers)
    expect(verdict).toBe('verified')
    expect(checks.find(({ id }) => id === 'payment')?.reason).toMatch(/ with 1 confirmation$/)
  })

  it('parseReceiptFile rejects a file of another format or version, or with a malformed field', () => {
    const file = signReceipt(receipt)
    for (const [wrong, message] of [
      [null, 'The file'],
      [{}, 'its format is not tocsin-receipt'],
      [{ ...file, format: 'tocsin-proof' }, 'its format is not tocsin-receipt'],
      [{ ...file, version: 2 }, "The receipt's version is not 1"],
      [{ ...file, bytes: 1 }, 'The receipt has no content or signature'],
      [{ ...file, signature: 1 }, 'The receipt has no content or signature'],
      [{ ...file, paymentRpcUrl: 'ftp://x' }, "The receipt's paymentRpcUrl"],
    ] as const) {
      expect(() => parseReceiptFile(wrong)).toThrow(message)
    }
  })
})
