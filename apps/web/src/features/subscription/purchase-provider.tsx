import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import type { Order, PlanId } from '@tocsin/protocol'
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { queries } from '../../api/queries.ts'
import { importOrThrow } from '../../browser/load-page.ts'
import { newVersion } from '../../browser/new-version.ts'
import { notifyOtherTabs, useOtherTabs } from '../../browser/other-tabs.ts'
import { useUser } from '../../session/auth.tsx'
import { consumeChosenPlan, findPlanInUrl } from '../../session/chosen-plan.ts'
import { toast } from '../../ui/toast.tsx'
import { useWalletField } from '../../wallet/use-wallet-state.ts'
import { findActiveOrder, isInProgress, mayChange } from './order-state.ts'
import type { PurchaseRequest } from './purchase-request.ts'
import { readDismissedIds, readSentPayments } from './sent-payments.ts'
import { isQueued } from './subscription-time.ts'
import { useRefetchAfterPlanChange } from './use-refetch-after-plan-change.ts'

type PurchaseContextValue = {
  isOpen: boolean
  /** True while a payment is in progress, in any tab or on any device. */
  isPaying: boolean
  /**
   * Opens the dialog for this plan, or with the plan choice if no plan is given. If an order is
   * active, the dialog shows that order instead.
   */
  open: (planId?: PlanId) => void
  close: () => void
}

const PurchaseContext = createContext<PurchaseContextValue | null>(null)

/** Loaded when the user opens a purchase, has an active order, or has a payment to report. */
const PurchaseFlow = lazy(async () => ({
  default: (await importOrThrow(() => import('./purchase-flow.tsx'))).PurchaseFlow,
}))

const pollMs = 5000

/**
 * Keeps the state of the purchase outside of the pages, so that closing the dialog or navigating
 * does not end the purchase.
 */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const { id: userId } = useUser()
  const [request, setRequest] = useState<PurchaseRequest | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  usePurchaseSync()
  useOrderToasts(isOpen)
  const { data } = useQuery({
    ...queries.orders,
    // Another device may have created an order.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data?.items.some((order) => mayChange(order, Date.now())) ? pollMs : false),
  })
  const activeOrder = findActiveOrder(data?.items ?? [], readDismissedIds(userId), Date.now())
  const isPaying = isBusy || (activeOrder !== null && isInProgress(activeOrder))
  // Do not offer to reload the page for a new version, because a reload would lose the user's input
  // or an open wallet request.
  const isBuying = isOpen || isPaying
  useEffect(() => (isBuying ? newVersion.hold() : undefined), [isBuying])
  const hasUnreportedPayment = useMemo(() => readSentPayments(userId).some(({ isReported }) => !isReported), [userId])
  const needsFlow = useLatched(request !== null || activeOrder !== null || hasUnreportedPayment)

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
      {needsFlow && (
        <Suspense>
          <PurchaseFlow request={request} isOpen={isOpen} onClose={value.close} onBusyChange={setBusy} />
        </Suspense>
      )}
    </PurchaseContext>
  )
}

/**
 * Opens the purchase of the plan that the user chose on the landing page before signing in, as soon
 * as the wallet connection is restored.
 */
function useChosenPlan(open: (planId: PlanId) => void): void {
  const status = useWalletField('status')
  const isStatusKnown = status !== 'reconnecting'
  const search = useLocation({ select: ({ searchStr }) => searchStr })
  const router = useRouter()
  useEffect(() => {
    if (!isStatusKnown) return
    const plan = consumeChosenPlan(search, Date.now())
    if (plan === null) return
    // Reloading or going back must not open the dialog again.
    if (findPlanInUrl(search) !== null) void router.navigate({ to: '.', search: {}, replace: true })
    open(plan)
  }, [isStatusKnown, search, router, open])
}

/** Stays true once the condition has been true. */
function useLatched(condition: boolean): boolean {
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

/**
 * Refetches and shows a toast when an order is paid, fails or is rolled back. Reacts only to
 * changes that happen while the page is open.
 * @param isShown true if the purchase dialog is open. No toast then says that the plan is active,
 *   because the dialog shows it
 */
function useOrderToasts(isShown: boolean): void {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const refetchAfterPlanChange = useRefetchAfterPlanChange()
  const { data } = useQuery(queries.orders)
  const needsToast = useRef(!isShown)
  needsToast.current = !isShown
  const lastStatuses = useRef<ReadonlyMap<string, Order['status']> | null>(null)

  useEffect(() => {
    if (!data) return
    const previousStatuses = lastStatuses.current
    lastStatuses.current = new Map(data.items.map(({ id, status }) => [id, status]))
    if (previousStatuses === null) return
    for (const order of data.items) if (previousStatuses.get(order.id) !== order.status) handleChange(order)

    function handleChange({ status, subscription }: Order): void {
      if (status === 'paid') void handlePaid(subscription?.startTime)
      if (status !== 'failed' && status !== 'reorganised') return
      const description =
        status === 'failed' ? 'The network rejected the payment.' : 'The network rolled the payment back.'
      toast({ title: 'Subscription Failed', description, variant: 'destructive' })
      void queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
    }

    async function handlePaid(startTime: string | undefined): Promise<void> {
      await refetchAfterPlanChange()
      notifyOtherTabs('subscription')
      if (!needsToast.current) return
      const startsLater = isQueued(startTime, Date.now())
      const description = startsLater ? 'It starts when the running plan ends.' : 'Live alerts are on.'
      toast({ title: startsLater ? 'Plan Paid' : 'Subscription Active', description, variant: 'success' })
    }
  }, [data, userId, queryClient, refetchAfterPlanChange])
}

/** Refetches when another tab of this browser creates an order or pays. */
function usePurchaseSync(): void {
  const queryClient = useQueryClient()
  const refetchAfterPlanChange = useRefetchAfterPlanChange()
  const refetchOrders = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey }),
    [queryClient],
  )
  const refetchAll = useCallback(() => {
    refetchOrders()
    void refetchAfterPlanChange()
  }, [refetchOrders, refetchAfterPlanChange])
  useOtherTabs('purchase', refetchOrders)
  useOtherTabs('subscription', refetchAll)
}
