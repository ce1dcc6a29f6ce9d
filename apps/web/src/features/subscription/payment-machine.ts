import type { Order, PlanId } from '@tocsin/protocol'
import type { PaymentPath, ReceiptOutcome, TokenPayment } from '../../wallet/token-payment.ts'
import { isUserDecision, WalletError } from '../../wallet/wallet-error.ts'
import { mayHaveSent } from './may-have-sent.ts'
import { isPayable } from './order-state.ts'
import type { ActiveStep, PurchaseEvent, PurchaseTerms } from './purchase.ts'
import { createTerms, isSameTerms } from './terms.ts'

/** The action that the user requested, with the values that the page showed at that moment. */
export type PaymentIntent = {
  /** The transaction to report. Null to pay. */
  hash: string | null
  order: Order | null
  planId: PlanId | null
  /** The coupon for this plan. */
  couponCode: string | null
  terms: PurchaseTerms | null
  /** Address of the connected wallet. */
  payer: string | null
  isProved: boolean
}

type Attempt = {
  goal: PaymentIntent
  /** The last step that was started, for error messages. */
  step: ActiveStep
  /**
   * True if the user stopped waiting. The attempt then opens no wallet request and shows no result,
   * but it still reports a payment that the user confirms in a request that is already open.
   */
  isStopped: boolean
}

type AttemptWithOrder = Attempt & { order: Order }

type StateFields = {
  idle: Attempt
  locking: Attempt
  proving: Attempt
  ordering: Attempt
  readingAllowance: AttemptWithOrder
  /** A wallet request is open or about to open. */
  requesting: AttemptWithOrder
  /** Waits for the receipt of the approval transaction. */
  following: AttemptWithOrder
  refetching: AttemptWithOrder
  reporting: Attempt
  /**
   * The error is shown only after the lock is released, so that an immediate retry can acquire the
   * lock.
   */
  unlocking: Attempt & { error: unknown }
  ended: Attempt
}

type StateName = keyof StateFields
type StateNamed<Name extends StateName> = StateFields[Name] & { at: Name }

/** One attempt to pay an order or to report a payment. */
export type PaymentState = { [Name in StateName]: StateNamed<Name> }[StateName]

export type PaymentEvent =
  | { type: 'started' }
  | { type: 'locked' }
  /** Another tab holds the lock. */
  | { type: 'lockRefused' }
  | { type: 'proved' }
  /** `address` is the connected account when the order arrives. */
  | { type: 'ordered'; order: Order; address: string | null }
  | { type: 'allowanceRead'; allowanceWei: bigint }
  | { type: 'sent'; hash: string }
  /**
   * The result of the approval transaction. Null if it could not be followed; the allowance on the
   * chain then shows whether the approval succeeded.
   */
  | { type: 'followed'; result: ReceiptOutcome['result'] | null }
  | { type: 'refetched'; order: Order }
  | { type: 'reported' }
  | { type: 'failed'; error: unknown }
  | { type: 'unlocked' }
  | { type: 'stopped' }

/** Effects are executed in order. Those above the `-----` comment send their result as an event. */
export type PaymentEffect =
  | { type: 'lock' }
  | { type: 'prove' }
  | { type: 'getOrCreateOrder' }
  | { type: 'readAllowance'; payment: TokenPayment }
  | { type: 'send'; payment: TokenPayment; path: PaymentPath }
  | { type: 'follow'; chainId: number; hash: string }
  /** Refetches the funds and the order. */
  | { type: 'refetch'; orderId: string }
  | { type: 'report'; orderId: string; hash: string }
  // -----
  | { type: 'show'; event: PurchaseEvent }
  | { type: 'showFailure'; step: ActiveStep; error: unknown }
  /** Makes this order the one that the dialog shows. */
  | { type: 'adopt'; order: Order }
  | { type: 'cache'; order: Order }
  /**
   * Stores the id of the order whose wallet request is unanswered or has an unknown result. Null
   * deletes the stored id.
   */
  | { type: 'storePending'; orderId: string | null }
  | { type: 'storeSent'; orderId: string; hash: string }
  /** Prevents wallet requests that are not open yet, and releases the lock. */
  | { type: 'abort' }
  /** Releases the lock of a payment, or settles the promise of a report. */
  | { type: 'release'; error: unknown }

type Transition = { state: PaymentState; effects: PaymentEffect[] }
type Handler<Name extends StateName, Type extends PaymentEvent['type']> = (
  state: StateNamed<Name>,
  event: Extract<PaymentEvent, { type: Type }>,
) => Transition
type TransitionTable = { [Name in StateName]: { [Type in PaymentEvent['type']]?: Handler<Name, Type> } }

const transitions: TransitionTable = {
  idle: { started: start },
  locking: {
    locked: begin,
    lockRefused: refuse,
    // There is no lock to release, so end the attempt at once.
    failed: (state, { error }) => showOutcome({ ...state, at: 'unlocking', error }),
    stopped: stop,
  },
  proving: { proved: getOrCreateOrder, failed: handleFailure, stopped: stop },
  ordering: { ordered: handleOrder, failed: handleFailure, stopped: stop },
  readingAllowance: { allowanceRead: approve, failed: handleReadFailure, stopped: stop },
  requesting: { sent: handleHash, failed: handleRequestFailure, stopped: stop },
  following: { followed: handleApproval, failed: handleFailure, stopped: stop },
  refetching: { refetched: showOrder, failed: handleFailure, stopped: stop },
  reporting: { reported: (state) => finish(state, [show({ type: 'sent' })]), failed: handleFailure, stopped: stop },
  unlocking: { unlocked: showOutcome, stopped: stop },
  ended: {},
}

export function createPayment(goal: PaymentIntent): PaymentState {
  return { at: 'idle', goal, step: 'ordering', isStopped: false }
}

/** Ignores events that have no transition in this state. */
export function reducePayment(state: PaymentState, event: PaymentEvent): Transition {
  // Safe cast: the entry belongs to this state and event, which TypeScript cannot infer.
  const handler = transitions[state.at][event.type] as
    | ((from: PaymentState, by: PaymentEvent) => Transition)
    | undefined
  return handler?.(state, event) ?? { state, effects: [] }
}

function start(state: Attempt): Transition {
  // A report sends no payment, so it needs no lock.
  return isReport(state)
    ? begin(state)
    : { state: { ...pickAttempt(state), at: 'locking' }, effects: [{ type: 'lock' }] }
}

function refuse(state: Attempt): Transition {
  return {
    state: { ...pickAttempt(state), at: 'ended' },
    effects: [show({ type: 'notice', message: otherTabMessage })],
  }
}

function begin(state: Attempt): Transition {
  const { hash, order, payer, isProved } = state.goal
  if (hash !== null && order !== null) return report(state, order.id, hash)
  if (payer === null) return fail(state, new WalletError('unauthorized', 'Wallet not connected'))
  if (isProved || state.isStopped) return getOrCreateOrder(state)
  const effects: PaymentEffect[] = [startStep('proving'), { type: 'prove' }]
  return { state: { ...pickAttempt(state), step: 'proving', at: 'proving' }, effects }
}

function getOrCreateOrder(state: Attempt): Transition {
  if (state.isStopped && !isReport(state)) return finish(state)
  const effects: PaymentEffect[] = [startStep('ordering'), { type: 'getOrCreateOrder' }]
  return { state: { ...pickAttempt(state), step: 'ordering', at: 'ordering' }, effects }
}

function handleOrder(state: Attempt, { order, address }: Extract<PaymentEvent, { type: 'ordered' }>): Transition {
  const { hash, payer, terms } = state.goal
  const selectOrderEffect: PaymentEffect = { type: 'adopt', order }
  if (hash !== null) return report(state, order.id, hash, [selectOrderEffect])
  if (state.isStopped) return finish(state, [selectOrderEffect])
  // Another tab or device has already paid. Show that payment and send no wallet request.
  if (!isPayable(order)) return finish(state, [selectOrderEffect, show({ type: 'sent' })])
  const orderedTerms = createTerms(order)
  if (terms !== null && !isSameTerms(terms, orderedTerms))
    return fail(state, createStoppedError(termsChangedMessage), [selectOrderEffect])
  if (address !== payer) return fail(state, createStoppedError(otherAccountMessage), [selectOrderEffect])
  const effects: PaymentEffect[] = [selectOrderEffect, { type: 'storePending', orderId: order.id }]
  if (orderedTerms.path === 'transfer') return askWallet(state, order, effects)
  const readEffect: PaymentEffect = { type: 'readAllowance', payment: toTokenPayment(order) }
  return { state: { ...pickAttempt(state), at: 'readingAllowance', order }, effects: [...effects, readEffect] }
}

/**
 * Asks the wallet to approve exactly the payment's amount for the server. If the allowance already
 * suffices, it only refetches the order.
 */
function approve(
  state: AttemptWithOrder,
  { allowanceWei }: Extract<PaymentEvent, { type: 'allowanceRead' }>,
): Transition {
  const { order } = state
  if (allowanceWei >= toTokenPayment(order).amountWei) return refetch(state, [clearPendingEffect])
  return state.isStopped ? finish(state, [clearPendingEffect]) : askWallet(state, order)
}

function askWallet(state: Attempt, order: Order, effectsBefore: PaymentEffect[] = []): Transition {
  const { path } = order
  const step = path === 'approve' ? 'approving' : 'paying'
  const effects: PaymentEffect[] = [
    ...effectsBefore,
    startStep(step),
    { type: 'send', payment: toTokenPayment(order), path },
  ]
  return { state: { ...pickAttempt(state), step, at: 'requesting', order }, effects }
}

function handleHash(state: AttemptWithOrder, { hash }: Extract<PaymentEvent, { type: 'sent' }>): Transition {
  const { order } = state
  if (order.path === 'approve') {
    const followEffect: PaymentEffect = { type: 'follow', chainId: order.chainId, hash }
    const effects: PaymentEffect[] = [
      clearPendingEffect,
      ...(state.isStopped ? [] : [startStep('approved')]),
      followEffect,
    ]
    return { state: { ...pickAttempt(state), step: 'approved', at: 'following', order }, effects }
  }
  const storeEffect: PaymentEffect = { type: 'storeSent', orderId: order.id, hash }
  return report(state, order.id, hash, [clearPendingEffect, storeEffect, startStep('reporting')])
}

function handleApproval(state: AttemptWithOrder, { result }: Extract<PaymentEvent, { type: 'followed' }>): Transition {
  if (result === 'cancelled') return fail(state, new WalletError('rejected', approvalCancelledMessage))
  if (result === 'reverted') return fail(state, new WalletError('reverted', approvalFailedMessage))
  return refetch(state)
}

function refetch(state: AttemptWithOrder, effectsBefore: PaymentEffect[] = []): Transition {
  const { order } = state
  const effects: PaymentEffect[] = [...effectsBefore, { type: 'refetch', orderId: order.id }]
  return { state: { ...pickAttempt(state), at: 'refetching', order }, effects }
}

function showOrder(state: Attempt, { order }: Extract<PaymentEvent, { type: 'refetched' }>): Transition {
  return finish(state, [{ type: 'cache', order }, ...(state.isStopped ? [] : [show({ type: 'sent' })])])
}

function report(state: Attempt, orderId: string, hash: string, effectsBefore: PaymentEffect[] = []): Transition {
  const effects: PaymentEffect[] = [...effectsBefore, { type: 'report', orderId, hash }]
  return { state: { ...pickAttempt(state), step: 'reporting', at: 'reporting' }, effects }
}

function handleFailure(state: Attempt, { error }: Extract<PaymentEvent, { type: 'failed' }>): Transition {
  return fail(state, error)
}

function handleReadFailure(state: Attempt, { error }: Extract<PaymentEvent, { type: 'failed' }>): Transition {
  return fail(state, error, [clearPendingEffect])
}

function handleRequestFailure(state: Attempt, { error }: Extract<PaymentEvent, { type: 'failed' }>): Transition {
  // If the wallet may have sent the payment, keep the stored request: it makes the page warn before
  // the next payment, even after a reload.
  return fail(state, error, mayHaveSent(error) ? [] : [clearPendingEffect])
}

function fail(state: Attempt, error: unknown, effectsBefore: PaymentEffect[] = []): Transition {
  // Only end the active step if another place shows the error: the form of a report shows it beside
  // the input, and the order shows why the server rejected a payment that was sent after a stop.
  const isShownElsewhere = isReport(state) || (state.isStopped && state.step === 'reporting')
  return finish(state, isShownElsewhere ? [...effectsBefore, show({ type: 'sent' })] : effectsBefore, error)
}

function finish(state: Attempt, effectsBefore: PaymentEffect[] = [], error: unknown = null): Transition {
  const effects: PaymentEffect[] = [...effectsBefore, { type: 'release', error }]
  const hasEnded = isReport(state) || state.isStopped
  return {
    state: hasEnded ? { ...pickAttempt(state), at: 'ended' } : { ...pickAttempt(state), at: 'unlocking', error },
    effects,
  }
}

function showOutcome({ error, ...state }: StateNamed<'unlocking'>): Transition {
  const effects: PaymentEffect[] =
    error === null || state.isStopped
      ? []
      : error instanceof WalletError && isUserDecision(error)
        ? [show({ type: 'notice', message: error.message })]
        : [{ type: 'showFailure', step: state.step, error }]
  return { state: { ...state, at: 'ended' }, effects }
}

function stop(state: PaymentState): Transition {
  return { state: { ...state, isStopped: true }, effects: state.isStopped ? [] : [{ type: 'abort' }] }
}

/** The fields that all states share. */
function pickAttempt({ goal, step, isStopped }: Attempt): Attempt {
  return { goal, step, isStopped }
}

function isReport({ goal }: Attempt): boolean {
  return goal.hash !== null
}

function toTokenPayment(order: Order): TokenPayment {
  const { chainId, token, treasury, spender, amountWei } = createTerms(order)
  return { chainId, token, recipient: spender ?? treasury, payer: order.payer, amountWei }
}

const clearPendingEffect: PaymentEffect = { type: 'storePending', orderId: null }
const show = (event: PurchaseEvent): PaymentEffect => ({ type: 'show', event })
const startStep = (step: ActiveStep): PaymentEffect => show({ type: 'step_started', step })
const createStoppedError = (message: string): WalletError => new WalletError('stopped', message)

const otherAccountMessage = 'Your wallet changed to another account in the meantime. Nothing was sent.'
const otherTabMessage =
  'Another tab of this browser is asking your wallet. Continue there, or stop waiting there first.'
const termsChangedMessage = 'The terms of this purchase have changed. Review them before you pay. Nothing was sent.'
const approvalCancelledMessage = 'You cancelled the approval in your wallet. Nothing was sent.'
const approvalFailedMessage =
  'The network rejected the approval. No ITO left your wallet; only the network fee was spent.'
