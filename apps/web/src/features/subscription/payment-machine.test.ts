import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { WalletError, type WalletErrorKind } from '../../wallet/wallet-error.ts'
import {
  createPayment,
  type PaymentEffect,
  type PaymentEvent,
  type PaymentIntent,
  type PaymentState,
  reducePayment,
} from './payment-machine.ts'
import type { ActiveStep } from './purchase.ts'
import { createTerms } from './terms.ts'

const { id, payer } = sampleOrder
const hash = `0x${'ab'.repeat(32)}`
const otherPayer = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const spender = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const approvalOrder: Order = { ...sampleOrder, path: 'approve', spender }
const underpaid: Order = { ...sampleOrder, status: 'underpaid', missingWei: '4' }
const payment = {
  chainId: sampleOrder.chainId,
  token: sampleOrder.token,
  recipient: sampleOrder.treasury,
  payer,
  amountWei: 10n ** 19n,
}
const approval = { ...payment, recipient: spender }

const goal: PaymentIntent = {
  hash: null,
  order: null,
  planId: '6h',
  couponCode: null,
  terms: createTerms(sampleOrder),
  payer,
  isProved: true,
}
const reportGoal: PaymentIntent = { ...goal, hash }

/** Creates a state from the initial state of a payment, with the given fields changed. */
const createState = <State extends Partial<PaymentState> & Pick<PaymentState, 'at'>>(state: State) =>
  ({ ...createPayment(goal), ...state }) as PaymentState
const createStoppedState = <State extends Parameters<typeof createState>[0]>(state: State) =>
  createState({ ...state, isStopped: true })

const rejection = new WalletError('rejected', 'You cancelled.')
const alreadyOpen = new WalletError('already_open', 'A request is already open.')
const stop = new WalletError('stopped', 'Stopped.')
const fault = new Error('fault')

const stepEffect = (next: ActiveStep): PaymentEffect => ({ type: 'show', event: { type: 'step_started', step: next } })
const noticeEffect = (message: string): PaymentEffect => ({ type: 'show', event: { type: 'notice', message } })
const storePendingEffect = (orderId: string | null): PaymentEffect => ({ type: 'storePending', orderId })
const releaseEffect = (error: unknown = null): PaymentEffect => ({ type: 'release', error })
const adoptEffect = (order: Order = sampleOrder): PaymentEffect => ({ type: 'adopt', order })
const showSentEffect: PaymentEffect = { type: 'show', event: { type: 'sent' } }
const refetchEffect: PaymentEffect = { type: 'refetch', orderId: id }
const reportEffect: PaymentEffect = { type: 'report', orderId: id, hash }
const sendTransfer: PaymentEffect = { type: 'send', payment, path: 'transfer' }
const sendApproval: PaymentEffect = { type: 'send', payment: approval, path: 'approve' }

const orderedEvent = (order: Order = sampleOrder, address: string | null = payer): PaymentEvent => ({
  type: 'ordered',
  order,
  address,
})
const failedEvent = (error: unknown): PaymentEvent => ({ type: 'failed', error })
const followedEvent = (result: 'success' | 'cancelled' | 'reverted' | null): PaymentEvent => ({
  type: 'followed',
  result,
})
const expectMessage = (text: RegExp): string => expect.stringMatching(text)
const expectWalletError = (kind: string, text: RegExp) =>
  expect.objectContaining({ kind, message: expectMessage(text) })

const lockingState = createState({ at: 'locking' })
const provingState = createState({ at: 'proving', step: 'proving' })
const orderingState = createState({ at: 'ordering' })
const readingState = createState({ at: 'readingAllowance', order: approvalOrder })
const payingState = createState({ at: 'requesting', step: 'paying', order: sampleOrder })
const approvingState = createState({ at: 'requesting', step: 'approving', order: approvalOrder })
const followingState = createState({ at: 'following', step: 'approved', order: approvalOrder })
const refetchingState = createState({ at: 'refetching', step: 'approved', order: approvalOrder })
const reportingState = createState({ at: 'reporting', step: 'reporting' })
const unlockingState = createState({ at: 'unlocking', error: null })
const endedState = createState({ at: 'ended' })
const asReportState = (state: PaymentState): PaymentState => ({ ...state, goal: reportGoal })
const asStoppedState = (state: PaymentState): PaymentState => ({ ...state, isStopped: true })

const termsChangedPattern = /^The terms of this purchase have changed\./
const otherAccountPattern = /^Your wallet changed to another account in the meantime\./
const notConnected = expectWalletError('unauthorized', /^Wallet not connected$/)

type Row = [condition: string, from: PaymentState, event: PaymentEvent, to: unknown, effects: unknown[]]

/**
 * @param keptEffects the effects that are expected before `releaseEffect`. If the wallet has not
 *   sent the transfer, the stored request is removed. If it may have sent the transfer, the request
 *   stays stored, and the list is empty.
 */
function requestFailure(condition: string, kind: WalletErrorKind, keptEffects: PaymentEffect[]): Row {
  const error = new WalletError(kind, 'No transaction hash.')
  const to = createState({ at: 'unlocking', step: 'paying', error })
  return [`${condition} (${kind})`, payingState, failedEvent(error), to, [...keptEffects, releaseEffect(error)]]
}

const rows: Row[] = [
  ['a payment starts', createPayment(goal), { type: 'started' }, lockingState, [{ type: 'lock' }]],
  [
    'a report of a known order starts',
    createPayment({ ...reportGoal, order: sampleOrder }),
    { type: 'started' },
    createState({ at: 'reporting', step: 'reporting', goal: { ...reportGoal, order: sampleOrder } }),
    [reportEffect],
  ],
  [
    'a report without an order starts',
    createPayment(reportGoal),
    { type: 'started' },
    asReportState(orderingState),
    [stepEffect('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'a report without a wallet starts',
    createPayment({ ...reportGoal, payer: null }),
    { type: 'started' },
    createState({ at: 'ended', goal: { ...reportGoal, payer: null } }),
    [showSentEffect, releaseEffect(notConnected)],
  ],

  [
    'another tab is paying',
    lockingState,
    { type: 'lockRefused' },
    endedState,
    [noticeEffect('Another tab of this browser is asking your wallet. Continue there, or stop waiting there first.')],
  ],
  [
    'the wallet is proved',
    lockingState,
    { type: 'locked' },
    orderingState,
    [stepEffect('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'the wallet is not proved',
    createState({ at: 'locking', goal: { ...goal, isProved: false } }),
    { type: 'locked' },
    { ...provingState, goal: { ...goal, isProved: false } },
    [stepEffect('proving'), { type: 'prove' }],
  ],
  [
    'the wallet is not connected',
    createState({ at: 'locking', goal: { ...goal, payer: null } }),
    { type: 'locked' },
    createState({ at: 'unlocking', goal: { ...goal, payer: null }, error: notConnected as never }),
    [releaseEffect(notConnected)],
  ],
  [
    'the lock fails',
    lockingState,
    failedEvent(fault),
    endedState,
    [{ type: 'showFailure', step: 'ordering', error: fault }],
  ],

  [
    'the wallet proof succeeds',
    provingState,
    { type: 'proved' },
    orderingState,
    [stepEffect('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'a stopped proof succeeds',
    asStoppedState(provingState),
    { type: 'proved' },
    { ...endedState, step: 'proving', isStopped: true },
    [releaseEffect()],
  ],
  [
    'the stopped proof of a report succeeds',
    asReportState(asStoppedState(provingState)),
    { type: 'proved' },
    asReportState(asStoppedState(orderingState)),
    [stepEffect('ordering'), { type: 'getOrCreateOrder' }],
  ],
  [
    'the wallet proof is rejected',
    provingState,
    failedEvent(rejection),
    createState({ at: 'unlocking', step: 'proving', error: rejection }),
    [releaseEffect(rejection)],
  ],
  [
    'the wallet proof of a report is rejected',
    asReportState(provingState),
    failedEvent(rejection),
    asReportState({ ...endedState, step: 'proving' }),
    [showSentEffect, releaseEffect(rejection)],
  ],

  [
    'a transfer is due',
    orderingState,
    orderedEvent(),
    payingState,
    [adoptEffect(), storePendingEffect(id), stepEffect('paying'), sendTransfer],
  ],
  [
    'an approval is due',
    createState({ at: 'ordering', goal: { ...goal, terms: null } }),
    orderedEvent(approvalOrder),
    { ...readingState, goal: { ...goal, terms: null } },
    [adoptEffect(approvalOrder), storePendingEffect(id), { type: 'readAllowance', payment: approval }],
  ],
  [
    'an order is already paid',
    orderingState,
    orderedEvent({ ...sampleOrder, status: 'seen' }),
    unlockingState,
    [adoptEffect({ ...sampleOrder, status: 'seen' }), showSentEffect, releaseEffect()],
  ],
  [
    'the order has other terms',
    orderingState,
    orderedEvent(underpaid),
    createState({ at: 'unlocking', error: expectWalletError('stopped', termsChangedPattern) as never }),
    [adoptEffect(underpaid), releaseEffect(expectWalletError('stopped', termsChangedPattern))],
  ],
  [
    'the wallet changed to another account',
    orderingState,
    orderedEvent(sampleOrder, otherPayer),
    createState({ at: 'unlocking', error: expectWalletError('stopped', otherAccountPattern) as never }),
    [adoptEffect(), releaseEffect(expectWalletError('stopped', otherAccountPattern))],
  ],
  [
    'a stopped order arrives',
    asStoppedState(orderingState),
    orderedEvent(),
    asStoppedState(endedState),
    [adoptEffect(), releaseEffect()],
  ],
  [
    'the order of a report arrives',
    asReportState(orderingState),
    orderedEvent(underpaid, otherPayer),
    asReportState(reportingState),
    [adoptEffect(underpaid), reportEffect],
  ],
  [
    'the order fails',
    orderingState,
    failedEvent(fault),
    createState({ at: 'unlocking', error: fault }),
    [releaseEffect(fault)],
  ],

  [
    'the allowance is too low',
    readingState,
    { type: 'allowanceRead', allowanceWei: 10n ** 19n - 1n },
    approvingState,
    [stepEffect('approving'), sendApproval],
  ],
  [
    'the allowance suffices',
    readingState,
    { type: 'allowanceRead', allowanceWei: 10n ** 19n },
    { ...refetchingState, step: 'ordering' },
    [storePendingEffect(null), refetchEffect],
  ],
  [
    'the allowance of a stopped payment is too low',
    asStoppedState(readingState),
    { type: 'allowanceRead', allowanceWei: 0n },
    asStoppedState(endedState),
    [storePendingEffect(null), releaseEffect()],
  ],
  [
    'the allowance can’t be read',
    readingState,
    failedEvent(fault),
    createState({ at: 'unlocking', error: fault }),
    [storePendingEffect(null), releaseEffect(fault)],
  ],

  [
    'the wallet sends the transfer',
    payingState,
    { type: 'sent', hash },
    reportingState,
    [storePendingEffect(null), { type: 'storeSent', orderId: id, hash }, stepEffect('reporting'), reportEffect],
  ],
  [
    'the wallet sends the transfer after the user stopped waiting',
    asStoppedState(payingState),
    { type: 'sent', hash },
    asStoppedState(reportingState),
    [storePendingEffect(null), { type: 'storeSent', orderId: id, hash }, stepEffect('reporting'), reportEffect],
  ],
  [
    'the wallet sends the approval',
    approvingState,
    { type: 'sent', hash },
    followingState,
    [storePendingEffect(null), stepEffect('approved'), { type: 'follow', chainId: 31337, hash }],
  ],
  [
    'the wallet sends the approval after the user stopped waiting',
    asStoppedState(approvingState),
    { type: 'sent', hash },
    asStoppedState(followingState),
    [storePendingEffect(null), { type: 'follow', chainId: 31337, hash }],
  ],
  [
    'the wallet rejects the transfer',
    payingState,
    failedEvent(rejection),
    createState({ at: 'unlocking', step: 'paying', error: rejection }),
    [storePendingEffect(null), releaseEffect(rejection)],
  ],
  [
    'another request is open in the wallet',
    payingState,
    failedEvent(alreadyOpen),
    createState({ at: 'unlocking', step: 'paying', error: alreadyOpen }),
    [releaseEffect(alreadyOpen)],
  ],
  ...(['invalid_response', 'offline', 'timeout', 'other'] as const).map((kind) =>
    requestFailure('the wallet may have sent the transfer', kind, []),
  ),
  ...(['not_sent', 'unauthorized', 'unsupported', 'wrong_chain', 'insufficient_gas', 'reverted'] as const).map((kind) =>
    requestFailure('the wallet has not sent the transfer', kind, [storePendingEffect(null)]),
  ),
  [
    'the stopped request is not opened',
    asStoppedState(payingState),
    failedEvent(stop),
    asStoppedState({ ...endedState, step: 'paying' }),
    [storePendingEffect(null), releaseEffect(stop)],
  ],

  ['the approval is in a block', followingState, followedEvent('success'), refetchingState, [refetchEffect]],
  ['the approval can’t be followed', followingState, followedEvent(null), refetchingState, [refetchEffect]],
  [
    'the approval is cancelled',
    followingState,
    followedEvent('cancelled'),
    createState({
      at: 'unlocking',
      step: 'approved',
      error: expectWalletError('rejected', /^You cancelled the approval/) as never,
    }),
    [releaseEffect(expectWalletError('rejected', /^You cancelled the approval in your wallet\. Nothing was sent\.$/))],
  ],
  [
    'the approval is reverted',
    followingState,
    followedEvent('reverted'),
    createState({
      at: 'unlocking',
      step: 'approved',
      error: expectWalletError('reverted', /^The network rejected/) as never,
    }),
    [releaseEffect(expectWalletError('reverted', /^The network rejected the approval\. No ITO left your wallet/))],
  ],
  [
    'following fails',
    followingState,
    failedEvent(fault),
    createState({ at: 'unlocking', step: 'approved', error: fault }),
    [releaseEffect(fault)],
  ],

  [
    'the approved order arrives',
    refetchingState,
    { type: 'refetched', order: approvalOrder },
    { ...unlockingState, step: 'approved' },
    [{ type: 'cache', order: approvalOrder }, showSentEffect, releaseEffect()],
  ],
  [
    'the approved order arrives after the user stopped waiting',
    asStoppedState(refetchingState),
    { type: 'refetched', order: approvalOrder },
    asStoppedState({ ...endedState, step: 'approved' }),
    [{ type: 'cache', order: approvalOrder }, releaseEffect()],
  ],
  [
    'the approved order can’t be fetched',
    refetchingState,
    failedEvent(fault),
    createState({ at: 'unlocking', step: 'approved', error: fault }),
    [releaseEffect(fault)],
  ],

  [
    'a payment is reported',
    reportingState,
    { type: 'reported' },
    { ...unlockingState, step: 'reporting' },
    [showSentEffect, releaseEffect()],
  ],
  [
    'a pasted transaction is reported',
    asReportState(reportingState),
    { type: 'reported' },
    asReportState({ ...endedState, step: 'reporting' }),
    [showSentEffect, releaseEffect()],
  ],
  [
    'the server rejects the report of a payment that was sent after the user stopped waiting',
    asStoppedState(reportingState),
    failedEvent(fault),
    asStoppedState({ ...endedState, step: 'reporting' }),
    [showSentEffect, releaseEffect(fault)],
  ],
  [
    'the server rejects the report',
    reportingState,
    failedEvent(fault),
    createState({ at: 'unlocking', step: 'reporting', error: fault }),
    [releaseEffect(fault)],
  ],
  [
    'the server rejects a pasted transaction',
    asReportState(reportingState),
    failedEvent(fault),
    asReportState({ ...endedState, step: 'reporting' }),
    [showSentEffect, releaseEffect(fault)],
  ],

  ['a payment has succeeded', unlockingState, { type: 'unlocked' }, endedState, []],
  [
    'the user rejected the request',
    createState({ at: 'unlocking', error: rejection }),
    { type: 'unlocked' },
    endedState,
    [noticeEffect('You cancelled.')],
  ],
  [
    'a payment has failed',
    createState({ at: 'unlocking', step: 'paying', error: fault }),
    { type: 'unlocked' },
    { ...endedState, step: 'paying' },
    [{ type: 'showFailure', step: 'paying', error: fault }],
  ],
  [
    'a stopped payment has failed',
    createStoppedState({ at: 'unlocking', error: fault }),
    { type: 'unlocked' },
    asStoppedState(endedState),
    [],
  ],

  ...[
    lockingState,
    provingState,
    orderingState,
    readingState,
    payingState,
    approvingState,
    followingState,
    refetchingState,
    reportingState,
    unlockingState,
  ].map(
    (state): Row => ['the user stops waiting', state, { type: 'stopped' }, asStoppedState(state), [{ type: 'abort' }]],
  ),
  ['the user has stopped before', asStoppedState(payingState), { type: 'stopped' }, asStoppedState(payingState), []],
]

const allStates = [
  createPayment(goal),
  ...[
    lockingState,
    provingState,
    orderingState,
    readingState,
    payingState,
    followingState,
    refetchingState,
    reportingState,
    unlockingState,
    endedState,
  ],
]
const everyEvent: PaymentEvent[] = [
  { type: 'started' },
  { type: 'locked' },
  { type: 'lockRefused' },
  { type: 'proved' },
  orderedEvent(),
  { type: 'allowanceRead', allowanceWei: 0n },
  { type: 'sent', hash },
  followedEvent('success'),
  { type: 'refetched', order: sampleOrder },
  { type: 'reported' },
  failedEvent(fault),
  { type: 'unlocked' },
  { type: 'stopped' },
]

describe('reducePayment', () => {
  const legalTransitions = new Set(rows.map(([, from, event]) => `${from.at} ${event.type}`))
  const illegalTransitions = allStates.flatMap((state) =>
    everyEvent
      .filter((event) => !legalTransitions.has(`${state.at} ${event.type}`))
      .map((event) => [event.type, state.at, state, event] as const),
  )
  it.each(illegalTransitions)('ignores the event %s in the state %s', (_event, _at, state, event) => {
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
  it('never opens a wallet request after the user has stopped the payment', () => {
    const openedRequests = [...allStates, approvingState].flatMap((state) =>
      goals.flatMap((stoppedGoal) =>
        [...everyEvent, ...amounts, orderedEvent(approvalOrder)].flatMap((event) =>
          reducePayment({ ...asStoppedState(state), goal: stoppedGoal }, event)
            .effects.filter(({ type }) => type === 'send' || type === 'prove')
            .map(({ type }) => `${state.at} ${event.type}: ${type}`),
        ),
      ),
    )
    expect(openedRequests).toEqual([])
  })
})
