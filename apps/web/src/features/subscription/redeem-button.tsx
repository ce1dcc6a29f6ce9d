import { useMutation } from '@tanstack/react-query'
import { getPlan } from '@tocsin/protocol'
import { call, getErrorMessage } from '../../api/api.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { usePurchaseFlow } from './flow-context.ts'
import { useRefetchAfterPlanChange } from './use-refetch-after-plan-change.ts'

/**
 * A button that starts a plan whose whole price is covered by the coupon. The user needs no wallet.
 */
export function RedeemButton() {
  const { purchase, dispatch, close } = usePurchaseFlow()
  const refetchAfterPlanChange = useRefetchAfterPlanChange()
  const { planId, coupon } = purchase
  const redeem = useMutation({
    mutationFn: async () => {
      if (planId === null || coupon === null) throw new Error('No coupon was applied')
      return call('redeemCoupon', { body: { planType: planId, couponCode: coupon.couponCode } })
    },
    onSuccess: async ({ planType }) => {
      toast({
        title: 'Subscription Active',
        description: `Your coupon has paid ${getPlan(planType).name}.`,
        variant: 'success',
      })
      dispatch({ type: 'coupon_changed', coupon: null })
      close()
      await refetchAfterPlanChange()
      notifyOtherTabs('subscription')
    },
    onError: (error) => {
      const message = getErrorMessage(error, 'The coupon could not be redeemed. Please try again.')
      toast({ title: 'Subscription Failed', description: message, variant: 'destructive' })
    },
  })
  return (
    <Button size="lg" variant="primary" busy={redeem.isPending} onClick={() => redeem.mutate()}>
      {redeem.isPending ? 'Starting…' : 'Start plan with coupon'}
    </Button>
  )
}
