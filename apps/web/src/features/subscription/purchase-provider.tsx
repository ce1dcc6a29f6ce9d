import { useQuery } from '@tanstack/react-query'
import { getPlan, type PlanId } from '@tocsin/protocol'
import { createContext, type ReactNode, use, useMemo, useReducer, useRef, useState } from 'react'
import { sentenceOf } from '../../api.ts'
import { useUser } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import { toast } from '../../ui/toast.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { isRejection, WalletError } from '../../wallet/wallet-error.ts'
import { walletStore } from '../../wallet/wallet-store.ts'
import {
  findObstacle,
  isUnderWay,
  noPurchase,
  type Purchase,
  type PurchaseEvent,
  readPending,
  reducePurchase,
  writePending,
} from './purchase.ts'
import { useClaim } from './use-claim.ts'

type PurchaseContextValue = {
  purchase: Purchase
  isOpen: boolean
  /** Opens the dialog at a plan, or at the choice of one; a purchase under way is shown as it is. */
  open: (planId?: PlanId) => void
  close: () => void
  choose: (planId: PlanId) => void
  /** Proves the wallet where needed, pays, and claims; takes up an unfinished claim instead of paying twice. */
  pay: () => Promise<void>
  /** Gives up on a wallet that does not answer. A payment that it sends after all still counts. */
  stopWaiting: () => void
}

const PurchaseContext = createContext<PurchaseContextValue | null>(null)

/** Keeps the purchase over all signed-in pages: closing its dialog or leaving the page does not end it. */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const { id: userId } = useUser()
  const [purchase, dispatch] = useReducer(reducePurchase, userId, restorePurchase)
  const [isOpen, setIsOpen] = useState(false)
  const { pay, stopWaiting } = usePayment(userId, purchase.planId, dispatch)
  useClaim(userId, purchase, dispatch)

  const value = useMemo<PurchaseContextValue>(
    () => ({
      purchase,
      isOpen,
      pay,
      stopWaiting,
      open(planId) {
        if (!isUnderWay(purchase)) dispatch(planId ? { type: 'chosen', planId } : { type: 'reset' })
        setIsOpen(true)
      },
      close: () => setIsOpen(false),
      choose: (planId) => dispatch({ type: 'chosen', planId }),
    }),
    [purchase, isOpen, pay, stopWaiting],
  )
  return <PurchaseContext value={value}>{children}</PurchaseContext>
}

export function usePurchase(): PurchaseContextValue {
  const value = use(PurchaseContext)
  if (!value) throw new Error('usePurchase must be used within a PurchaseProvider')
  return value
}

function restorePurchase(userId: string): Purchase {
  const pending = readPending(userId)
  return pending ? { ...noPurchase, phase: 'sent', planId: pending.planId, hash: pending.hash } : noPurchase
}

/** The running subscription of the signed-in user, or null. Any answer that is not one means none. */
export function useSubscription() {
  const { id } = useUser()
  const { data, isPending } = useQuery(queries.activeSubscription(id))
  return { subscription: data ?? null, isPending }
}

/** What stands against buying a plan with the connected wallet, as a sentence; null when nothing does. */
export function useObstacle(planId: PlanId): string | null {
  const { status, isCorrectNetwork, balanceWei } = useWallet()
  const { subscription } = useSubscription()
  return findObstacle({
    isConnected: status === 'connected',
    isCorrectNetwork,
    balanceWei,
    priceWei: getPlan(planId).priceWei,
    hasSubscription: subscription !== null,
  })
}

function usePayment(userId: string, planId: PlanId, dispatch: (event: PurchaseEvent) => void) {
  const wallet = useWallet()
  const obstacle = useObstacle(planId)
  // Only the newest attempt may go on to ask the wallet, or say how it went.
  const newest = useRef(0)

  function tell(error: unknown, fallback: string): void {
    if (error instanceof WalletError && isRejection(error)) {
      dispatch({ type: 'rejected', message: error.message })
      return
    }
    const message = error instanceof WalletError ? error.message : sentenceOf(error, fallback)
    const technical = error instanceof WalletError ? error.technical : ''
    dispatch({ type: 'failed', message, ...(technical && technical !== message ? { technical } : {}) })
    toast({ title: 'Subscription Failed', description: message, variant: 'destructive' })
  }

  function stopWaiting(): void {
    newest.current += 1
    dispatch({ type: 'rejected', message: stoppedWaiting })
  }

  async function pay(): Promise<void> {
    newest.current += 1
    const attempt = newest.current
    const isCurrent = () => attempt === newest.current
    try {
      if (!wallet.isProved && wallet.address !== null) {
        dispatch({ type: 'proving' })
        await wallet.prove()
      }
    } catch (error) {
      if (isCurrent()) tell(error, 'Your wallet could not be proved.')
      return
    }
    if (!isCurrent()) return
    const pending = readPending(userId)
    if (pending) return dispatch({ type: 'sent', hash: pending.hash })
    if (obstacle !== null) return dispatch({ type: 'failed', message: obstacle })
    if (walletStore.snapshot().address !== wallet.address) return dispatch({ type: 'rejected', message: otherAccount })
    try {
      dispatch({ type: 'asked' })
      const hash = await wallet.payTreasury(getPlan(planId).priceWei)
      writePending(userId, { hash, planId, walletAddress: wallet.address ?? '' })
      dispatch({ type: 'sent', hash })
    } catch (error) {
      if (isCurrent()) tell(error, 'Token transfer failed')
    }
  }

  return { pay, stopWaiting }
}

const otherAccount = 'Your wallet changed to another account meanwhile. Nothing was sent.'
const stoppedWaiting =
  'We stopped waiting for your wallet. Reject what is still open there before you try again; if you confirm it after all, it counts.'
