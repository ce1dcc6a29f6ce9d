import { useQuery } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import type { PlanId } from '@tocsin/protocol'
import { createContext, lazy, type ReactNode, Suspense, use, useEffect, useMemo, useState } from 'react'
import { useUser } from '../../auth.tsx'
import { planInAddress, takeChosenPlan } from '../../chosen-plan.ts'
import { importOrThrow } from '../../load-page.ts'
import { queries } from '../../queries.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { findCurrent, isMoving, isUnderWay } from './order-standing.ts'
import type { PurchaseRequest } from './purchase-request.ts'
import { readAside } from './sent-payments.ts'
import { useOrderNews } from './use-order-news.ts'
import { usePlanNews } from './use-plan-news.ts'

type PurchaseContextValue = {
  isOpen: boolean
  /** A payment is on its way, from whichever tab or device. */
  isPaying: boolean
  /**
   * Opens the dialog at a plan, or at the choice of one; a purchase under way is shown as it is.
   */
  open: (planId?: PlanId) => void
  close: () => void
}

const PurchaseContext = createContext<PurchaseContextValue | null>(null)

/** The purchase itself is loaded when somebody wants one, or has one under way. */
const PurchaseFlow = lazy(async () => ({
  default: (await importOrThrow(() => import('./purchase-flow.tsx'))).PurchaseFlow,
}))

const followMs = 5000

/**
 * Keeps the purchase over all signed-in pages: closing its dialog or leaving the page does not end
 * it.
 */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const { id: userId } = useUser()
  const [request, setRequest] = useState<PurchaseRequest | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  usePlanNews()
  useOrderNews(isOpen)
  const { data } = useQuery({
    ...queries.orders,
    // Another device may have begun one.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data?.items.some((order) => isMoving(order, Date.now())) ? followMs : false),
  })
  const current = findCurrent(data?.items ?? [], readAside(userId), Date.now())
  const isPaying = isAsking || (current !== null && isUnderWay(current))
  const hasFlow = useOnceTrue(request !== null || current !== null)

  const value = useMemo<PurchaseContextValue>(
    () => ({
      isOpen,
      isPaying,
      open(planId) {
        setRequest({ planId: planId ?? null })
        setIsOpen(true)
      },
      close: () => setIsOpen(false),
    }),
    [isOpen, isPaying],
  )
  useChosenPlan(value.open)
  return (
    <PurchaseContext value={value}>
      {children}
      {hasFlow && (
        <Suspense>
          <PurchaseFlow request={request} isOpen={isOpen} onClose={value.close} onAsking={setIsAsking} />
        </Suspense>
      )}
    </PurchaseContext>
  )
}

/**
 * Opens the purchase of the plan that was chosen on the landing page, before the sign-in, once the
 * wallet is known.
 */
function useChosenPlan(open: (planId: PlanId) => void): void {
  const { status } = useWallet()
  const isKnown = status !== 'reconnecting'
  const search = useLocation({ select: ({ searchStr }) => searchStr })
  const router = useRouter()
  useEffect(() => {
    if (!isKnown) return
    const plan = takeChosenPlan(search, Date.now())
    if (plan === null) return
    // A reload, or Back, must not open it again.
    if (planInAddress(search) !== null) void router.navigate({ to: '.', search: {}, replace: true })
    open(plan)
  }, [isKnown, search, router, open])
}

/** True from the first time on. */
function useOnceTrue(condition: boolean): boolean {
  const [wasTrue, setWasTrue] = useState(false)
  useEffect(() => {
    if (condition) setWasTrue(true)
  }, [condition])
  return wasTrue || condition
}

export function usePurchase(): PurchaseContextValue {
  const value = use(PurchaseContext)
  if (!value) throw new Error('usePurchase must be used within a PurchaseProvider')
  return value
}
