import { useMutation } from '@tanstack/react-query'
import { couponCode, getPlan } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call, getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { usePurchaseFlow } from './flow-context.ts'
import { getCouponPrice } from './purchase.ts'

/**
 * A field that applies a coupon to the plans. An applied coupon has a button that removes it. The
 * server computes the reduced prices.
 */
export function CouponField() {
  const { purchase, dispatch } = usePurchaseFlow()
  // In the plan choice the input is open immediately: users with a coupon enter it before they
  // choose a plan.
  const [isOpen, setOpen] = useState(purchase.planId === null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const apply = useMutation({
    mutationFn: (code: string) => call('quoteCoupon', { body: { couponCode: code } }),
    onSuccess: (coupon) => dispatch({ type: 'coupon_changed', coupon }),
    onError: (error) => setProblem(getErrorMessage(error, 'The code could not be checked. Please try again.')),
  })
  const { coupon, planId } = purchase

  if (coupon) {
    const isCouponForPlan = planId === null || getCouponPrice(purchase, planId) !== null
    return (
      <p className="flex min-h-11 items-center justify-between gap-4 py-1 text-base text-2">
        <span className="min-w-0" role="status">
          Coupon <span className="text-data text-1 wrap-anywhere">{coupon.couponCode}</span>
          {isCouponForPlan ? ' applied' : ` is not for ${getPlan(planId).name}`}
        </span>
        <Button size="sm" variant="ghost" onClick={() => dispatch({ type: 'coupon_changed', coupon: null })}>
          Remove coupon
        </Button>
      </p>
    )
  }
  if (!isOpen) {
    return (
      <Button variant="ghost" size="sm" className="my-2 justify-self-start" onClick={() => setOpen(true)}>
        I have a coupon
      </Button>
    )
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const code = couponCode.safeParse(text)
    if (!code.success) return setProblem('A code has 6 to 32 letters, digits and hyphens.')
    if (!apply.isPending) apply.mutate(code.data)
  }

  return (
    <form noValidate onSubmit={submit} className="my-2 grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
      <TextField
        mono
        label="Coupon code"
        error={problem}
        value={text}
        maxLength={40}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value)
          setProblem(undefined)
        }}
      />
      <Button type="submit" size="lg" busy={apply.isPending} className="mt-6">
        {apply.isPending ? 'Checking…' : 'Apply'}
      </Button>
    </form>
  )
}
