import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { WalletError, type WalletErrorKind } from '../../wallet/wallet-error.ts'
import {
  createPayment,
  type PaymentEffect,
  type PaymentEvent,
  type PaymentGoal,
  type PaymentState,
  reducePayment,
} from './payment-machine.ts'
import type { ActiveStep } from './purchase.ts'
import { createTerms } from './terms.ts'

const { id, payer } = sampleOrder
const hash = `0x${'ab'.repeat(32)}`
const otherPayer = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const spender = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const toApprove: Order = { ...sampleOrder, path: 'approve', spender }
const underpaid: Order = { ...sampleOrder, status: 'underpaid', missingWei: '4' }
const payment = {
  chainId: sampleOrder.chainId,
  token: sampleOrder.token,
  recipient: sampleOrder.treasury,
  payer,
  amountWei: 10n ** 19n,
}
const approval = { ...payment, recipient: spender }

const goal: PaymentGoal = {
  hash: null,
  order: null,
  planId: '6h',
  couponCode: null,
  terms: createTerms(sampleOrder),
  payer,
  isProved: true,
}
const reportGoal: PaymentGoal = { ...goal, hash }

/** Creates a state from the initial state of a payment, with the given fields changed. */
const at = <State extends Partial<PaymentState> & Pick<PaymentState, 'at'>>(state: State) =>
  ({ ...createPayment(goal), ...state }) as PaymentState
const stopped = <State extends Parameters<typeof at>[0]>(state: State) => at({ ...state, isStopped: true })

const rejection = new WalletError('rejected', 'You cancelled.')
const alreadyOpen = new WalletError('already_open', 'A request is already open.')
const stop = new WalletError('stopped', 'Stopped.')
const fault = new Error('fault')

const step = (next: ActiveStep): PaymentEffect => ({ type: 'show', event: { type: 'step_started', step: next } })
const notice = (message: string): PaymentEffect => ({ type: 'show', event: { type: 'notice', message } })
const pending = (orderId: string | null): PaymentEffect => ({ type: 'storePending', orderId })
const release = (error: unknown = null): PaymentEffect => ({ type: 'release', error })
const adopt = (order: Order = sampleOrder): PaymentEffect => ({ type: 'adopt', order })
const showSent: PaymentEffect = { type: 'show', event: { type: 'sent' } }
const refetch: PaymentEffect = { type: 'refetch', orderId: id }
const report: PaymentEffect = { type: 'report', orderId: id, hash }
const sendTransfer: PaymentEffect = { type: 'send', payment, path: 'transfer' }
const sendApproval: PaymentEffect = { type: 'send', payment: approval, path: 'approve' }

const ordered = (order: Order = sampleOrder, address: string | null = payer): PaymentEvent => ({
  type: 'ordered',
  order,
  address,
})
const failed = (error: unknown): PaymentEvent => ({ type: 'failed', error })
const followed = (result: 'success' | 'cancelled' | 'reverted' | null): PaymentEvent => ({ type: 'followed', result })
const message = (text: RegExp): string => expect.stringMatching(text)
const walletError = (kind: string, text: RegExp) => expect.objectContaining({ kind, message: message(text) })

const locking = at({ at: 'locking' })
const proving = at({ at: 'proving', step: 'proving' })
const ordering = at({ at: 'ordering' })
const reading = at({ at: 'readingAllowance', order: toApprove })
const paying = at({ at: 'requesting', step: 'paying', order: sampleOrder })
const approving = at({ at: 'requesting', step: 'approving', order: toApprove })
const following = at({ at: 'following', step: 'approved', order: toApprove })
const refetching = at({ at: 'refetching', step: 'approved', order: toApprove })
const reporting = at({ at: 'reporting', step: 'reporting' })
const unlocking = at({ at: 'unlocking', error: null })
const ended = at({ at: 'ended' })
const asReport = (state: PaymentState): PaymentState => ({ ...state, goal: reportGoal })
const asStopped = (state: PaymentState): PaymentState => ({ ...state, isStopped: true })

const termsChanged = /^The terms changed in the meantime\./
const otherAccount = /^Your wallet changed to another account in the meantime\./
const notConnected = walletError('unauthorized', /^Wallet not connected$/)

type Row = [condition: string, from: PaymentState, event: PaymentEvent, to: unknown, effects: unknown[]]

/**
 * @param kept the effects before `release`: removal of the stored request, or none if the request
 *   is kept
 */
function requestFailure(condition: string, kind: WalletErrorKind, kept: PaymentEffect[]): Row {
  const error = new WalletError(kind, 'No transaction hash.')
  const to = at({ at: 'unlocking', step: 'paying', error })
  return [`${condition} (${kind})`, paying, failed(error), to, [...kept, release(error)]]
}

const rows: Row[] = [
  ['a payment starts', createPayment(goal), { type: 'started' }, locking, [{ type: 'lock' }]],
  [
    'a report of a known order starts',
    createPayment({ ...reportGoal, order: sampleOrder }),
    { type: 'started' },
    at({ at: 'reporting', step: 'reporting', goal: { ...reportGoal, order: sampleOrder } }),
    [report],
  ],
  [
    'a report without an order starts',
    createPayment(reportGoal),
    { type: 'started' },
    asReport(ordering),
    [step('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'a report without a wallet starts',
    createPayment({ ...reportGoal, payer: null }),
    { type: 'started' },
    at({ at: 'ended', goal: { ...reportGoal, payer: null } }),
    [showSent, release(notConnected)],
  ],

  [
    'another tab is paying',
    locking,
    { type: 'lockRefused' },
    ended,
    [notice('Another tab of this browser is asking your wallet. Continue there, or stop waiting there first.')],
  ],
  ['the wallet is proved', locking, { type: 'locked' }, ordering, [step('ordering'), { type: 'getOrCreateOrder' }]],
  [
    'the wallet is not proved',
    at({ at: 'locking', goal: { ...goal, isProved: false } }),
    { type: 'locked' },
    { ...proving, goal: { ...goal, isProved: false } },
    [step('proving'), { type: 'prove' }],
  ],
  [
    'the wallet is not connected',
    at({ at: 'locking', goal: { ...goal, payer: null } }),
    { type: 'locked' },
    at({ at: 'unlocking', goal: { ...goal, payer: null }, error: notConnected as never }),
    [release(notConnected)],
  ],
  ['the lock fails', locking, failed(fault), at({ at: 'unlocking', error: fault }), [release(fault)]],

  [
    'the wallet proof succeeds',
    proving,
    { type: 'proved' },
    ordering,
    [step('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'a stopped proof succeeds',
    asStopped(proving),
    { type: 'proved' },
    { ...ended, step: 'proving', isStopped: true },
    [release()],
  ],
  [
    'the stopped proof of a report succeeds',
    asReport(asStopped(proving)),
    { type: 'proved' },
    asReport(asStopped(ordering)),
    [step('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'the wallet proof is rejected',
    proving,
    failed(rejection),
    at({ at: 'unlocking', step: 'proving', error: rejection }),
    [release(rejection)],
  ],
  [
    'the wallet proof of a report is rejected',
    asReport(proving),
    failed(rejection),
    asReport({ ...ended, step: 'proving' }),
    [showSent, release(rejection)],
  ],

  ['a transfer is due', ordering, ordered(), paying, [adopt(), pending(id), step('paying'), sendTransfer]],
  [
    'an approval is due',
    at({ at: 'ordering', goal: { ...goal, terms: null } }),
    ordered(toApprove),
    { ...reading, goal: { ...goal, terms: null } },
    [adopt(toApprove), pending(id), { type: 'readAllowance', payment: approval }],
  ],
  [
    'an order is already paid',
    ordering,
    ordered({ ...sampleOrder, status: 'seen' }),
    unlocking,
    [adopt({ ...sampleOrder, status: 'seen' }), showSent, release()],
  ],
  [
    'the order has other terms',
    ordering,
    ordered(underpaid),
    at({ at: 'unlocking', error: walletError('stopped', termsChanged) as never }),
    [adopt(underpaid), release(walletError('stopped', termsChanged))],
  ],
  [
    'the wallet changed to another account',
    ordering,
    ordered(sampleOrder, otherPayer),
    at({ at: 'unlocking', error: walletError('stopped', otherAccount) as never }),
    [adopt(), release(walletError('stopped', otherAccount))],
  ],
  ['a stopped order arrives', asStopped(ordering), ordered(), asStopped(ended), [adopt(), release()]],
  [
    'the order of a report arrives',
    asReport(ordering),
    ordered(underpaid, otherPayer),
    asReport(reporting),
    [adopt(underpaid), report],
  ],
  ['the order fails', ordering, failed(fault), at({ at: 'unlocking', error: fault }), [release(fault)]],

  [
    'the allowance is too low',
    reading,
    { type: 'allowanceRead', allowanceWei: 10n ** 19n - 1n },
    approving,
    [step('approving'), sendApproval],
  ],
  [
    'the allowance suffices',
    reading,
    { type: 'allowanceRead', allowanceWei: 10n ** 19n },
    { ...refetching, step: 'ordering' },
    [pending(null), refetch],
  ],
  [
    'the allowance of a stopped payment is too low',
    asStopped(reading),
    { type: 'allowanceRead', allowanceWei: 0n },
    asStopped(ended),
    [pending(null), release()],
  ],
  [
    'the allowance can’t be read',
    reading,
    failed(fault),
    at({ at: 'unlocking', error: fault }),
    [pending(null), release(fault)],
  ],

  [
    'the wallet sends the transfer',
    paying,
    { type: 'sent', hash },
    reporting,
    [pending(null), { type: 'storeSent', orderId: id, hash }, step('reporting'), report],
  ],
  [
    'the wallet sends the transfer after the user stopped waiting',
    asStopped(paying),
    { type: 'sent', hash },
    asStopped(reporting),
    [pending(null), { type: 'storeSent', orderId: id, hash }, step('reporting'), report],
  ],
  [
    'the wallet sends the approval',
    approving,
    { type: 'sent', hash },
    following,
    [pending(null), step('approved'), { type: 'follow', chainId: 31337, hash }],
  ],
  [
    'the wallet sends the approval after the user stopped waiting',
    asStopped(approving),
    { type: 'sent', hash },
    asStopped(following),
    [pending(null), { type: 'follow', chainId: 31337, hash }],
  ],
  [
    'the wallet rejects the transfer',
    paying,
    failed(rejection),
    at({ at: 'unlocking', step: 'paying', error: rejection }),
    [pending(null), release(rejection)],
  ],
  [
    'another request is open in the wallet',
    paying,
    failed(alreadyOpen),
    at({ at: 'unlocking', step: 'paying', error: alreadyOpen }),
    [release(alreadyOpen)],
  ],
  ...(['invalid_response', 'offline', 'timeout', 'other'] as const).map((kind) =>
    requestFailure('the wallet may have sent the transfer', kind, []),
  ),
  ...(['not_sent', 'unauthorized', 'unsupported', 'wrong_chain', 'insufficient_gas', 'reverted'] as const).map((kind) =>
    requestFailure('the wallet has not sent the transfer', kind, [pending(null)]),
  ),
  [
    'the stopped request is not opened',
    asStopped(paying),
    failed(stop),
    asStopped({ ...ended, step: 'paying' }),
    [pending(null), release(stop)],
  ],

  ['the approval is in a block', following, followed('success'), refetching, [refetch]],
  ['the approval can’t be followed', following, followed(null), refetching, [refetch]],
  [
    'the approval is cancelled',
    following,
    followed('cancelled'),
    at({ at: 'unlocking', step: 'approved', error: walletError('rejected', /^You cancelled the approval/) as never }),
    [release(walletError('rejected', /^You cancelled the approval in your wallet\. Nothing was sent\.$/))],
  ],
  [
    'the approval is reverted',
    following,
    followed('reverted'),
    at({ at: 'unlocking', step: 'approved', error: walletError('reverted', /^The network rejected/) as never }),
    [release(walletError('reverted', /^The network rejected the approval\. No ITO left your wallet/))],
  ],
  [
    'following fails',
    following,
    failed(fault),
    at({ at: 'unlocking', step: 'approved', error: fault }),
    [release(fault)],
  ],

  [
    'the approved order arrives',
    refetching,
    { type: 'refetched', order: toApprove },
    { ...unlocking, step: 'approved' },
    [{ type: 'cache', order: toApprove }, showSent, release()],
  ],
  [
    'the approved order arrives after the user stopped waiting',
    asStopped(refetching),
    { type: 'refetched', order: toApprove },
    asStopped({ ...ended, step: 'approved' }),
    [{ type: 'cache', order: toApprove }, release()],
  ],
  [
    'the approved order can’t be fetched',
    refetching,
    failed(fault),
    at({ at: 'unlocking', step: 'approved', error: fault }),
    [release(fault)],
  ],

  ['a payment is reported', reporting, { type: 'reported' }, { ...unlocking, step: 'reporting' }, [release()]],
  [
    'a pasted transaction is reported',
    asReport(reporting),
    { type: 'reported' },
    asReport({ ...ended, step: 'reporting' }),
    [release()],
  ],
  [
    'the server rejects the report',
    reporting,
    failed(fault),
    at({ at: 'unlocking', step: 'reporting', error: fault }),
    [release(fault)],
  ],
  [
    'the server rejects a pasted transaction',
    asReport(reporting),
    failed(fault),
    asReport({ ...ended, step: 'reporting' }),
    [showSent, release(fault)],
  ],

  ['a payment has succeeded', unlocking, { type: 'unlocked' }, ended, []],
  [
    'the user rejected the request',
    at({ at: 'unlocking', error: rejection }),
    { type: 'unlocked' },
    ended,
    [notice('You cancelled.')],
  ],
  [
    'a payment has failed',
    at({ at: 'unlocking', step: 'paying', error: fault }),
    { type: 'unlocked' },
    { ...ended, step: 'paying' },
    [{ type: 'showFailure', step: 'paying', error: fault }],
  ],
  [
    'a stopped payment has failed',
    stopped({ at: 'unlocking', error: fault }),
    { type: 'unlocked' },
    asStopped(ended),
    [],
  ],

  ...[locking, proving, ordering, reading, paying, approving, following, refetching, reporting, unlocking].map(
    (state): Row => ['the user stops waiting', state, { type: 'stopped' }, asStopped(state), [{ type: 'abort' }]],
  ),
  ['the user has stopped before', asStopped(paying), { type: 'stopped' }, asStopped(paying), []],
]

const everyState = [
  createPayment(goal),
  ...[locking, proving, ordering, reading, paying, following, refetching, reporting, unlocking, ended],
]
const everyEvent: PaymentEvent[] = [
  { type: 'started' },
  { type: 'locked' },
  { type: 'lockRefused' },
  { type: 'proved' },
  ordered(),
  { type: 'allowanceRead', allowanceWei: 0n },
  { type: 'sent', hash },
  followed('success'),
  { type: 'refetched', order: sampleOrder },
  { type: 'reported' },
  failed(fault),
  { type: 'unlocked' },
  { type: 'stopped' },
]

describe('reducePayment', () => {
  const legal = new Set(rows.map(([, from, event]) => `${from.at} ${event.type}`))
  const illegal = everyState.flatMap((state) =>
    everyEvent
      .filter((event) => !legal.has(`${state.at} ${event.type}`))
      .map((event) => [event.type, state.at, state, event] as const),
  )
  it.each(illegal)('ignores the event %s in the state %s', (_event, _at, state, event) => {
    expect(reducePayment(state, event)).toEqual({ state, effects: [] })
  })

  it.each(rows.map((row) => [row[2].type, row[1].at, ...row] as const))(
    'handles the event %s in the state %s when %s',
    (_event, _at, _condition, from, event, to, effects) => {
      expect(reducePayment(from, event)).toEqual({ state: to, effects })
    },
  )

  const amounts = [0n, 10n ** 20n].map((allowanceWei): PaymentEvent => ({ type: 'allowanceRead', allowanceWei }))
  const goals = [goal, reportGoal].flatMap((base) => [
    base,
    { ...base, isProved: false },
    { ...base, order: sampleOrder },
  ])
  it('never opens a wallet request when the user has stopped', () => {
    const opened = [...everyState, approving].flatMap((state) =>
      goals.flatMap((stoppedGoal) =>
        [...everyEvent, ...amounts, ordered(toApprove)].flatMap((event) =>
          reducePayment({ ...asStopped(state), goal: stoppedGoal }, event)
            .effects.filter(({ type }) => type === 'send' || type === 'prove')
            .map(({ type }) => `${state.at} ${event.type}: ${type}`),
        ),
      ),
    )
    expect(opened).toEqual([])
  })
})
