import { plans } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FieldError } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { adminQueries } from './admin-queries.ts'
import { type CouponDraft, type CouponProblems, createEmptyCoupon, parseCoupon } from './coupon-form.ts'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

export function CouponDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(() => createEmptyCoupon(Date.now()))
  const [problems, setProblems] = useState<CouponProblems>({})
  const updateDraft = (next: Partial<CouponDraft>) => setDraft({ ...draft, ...next })
  const create = useAdminAction({
    run: async (input: Parameters<typeof call<'createCoupon'>>[1]) => {
      const { code } = await call('createCoupon', input)
      return { message: `Its code is ${code}.` }
    },
    done: 'Coupon Created',
    failed: 'The coupon was not created. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.coupons.queryKey),
    onDone: onClose,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const couponResult = parseCoupon(draft, Date.now())
    setProblems('problems' in couponResult ? couponResult.problems : {})
    if ('body' in couponResult && !create.isPending) create.mutate({ body: couponResult.body })
  }

  const createFieldProps = (name: 'code' | 'value' | 'maxUses' | 'maxUsesPerAccount' | 'expiresAt' | 'note') => ({
    value: draft[name],
    error: problems[name],
    autoComplete: 'off',
    onChange: ({ target }: { target: HTMLInputElement }) => updateDraft({ [name]: target.value }),
  })

  return (
    <FormDialog
      title="New coupon"
      description="A coupon can be ended at any time. Its terms can’t be changed."
      submitLabels={{ send: 'Create coupon', sending: 'Creating…' }}
      isSending={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField {...createFieldProps('code')} label="Code" aside="Empty: a random code" maxLength={40} mono />
      <div className="grid gap-2">
        <Segmented
          label="Discount type"
          size="lg"
          value={draft.kind}
          onChange={(kind) => updateDraft({ kind })}
          choices={[
            { value: 'percent', label: 'Percentage' },
            { value: 'amount', label: 'Amount of ITO' },
          ]}
        />
        <TextField
          {...createFieldProps('value')}
          label="Discount"
          hint="If it covers the price, the plan starts without a payment."
          inputMode="decimal"
          suffix={draft.kind === 'percent' ? '%' : 'ITO'}
          maxLength={30}
          mono
        />
      </div>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-base font-medium">Plans</legend>
        {plans.map(({ id, name, price }) => (
          <Checkbox
            key={id}
            label={name}
            detail={`${price} ITO`}
            checked={draft.planTypes.includes(id)}
            onChange={({ target }) =>
              updateDraft({
                planTypes: plans.flatMap((plan) =>
                  (plan.id === id ? target.checked : draft.planTypes.includes(plan.id)) ? plan.id : [],
                ),
              })
            }
          />
        ))}
        {problems.planTypes && <FieldError>{problems.planTypes}</FieldError>}
      </fieldset>
      <div className="grid grid-cols-2 gap-4">
        <TextField {...createFieldProps('maxUses')} label="Uses in total" inputMode="numeric" maxLength={7} mono />
        <TextField
          {...createFieldProps('maxUsesPerAccount')}
          label="Uses per account"
          inputMode="numeric"
          maxLength={7}
          mono
        />
      </div>
      <TextField {...createFieldProps('expiresAt')} label="Expires" aside="Your local time" type="datetime-local" />
      <TextField {...createFieldProps('note')} label="Note" aside="For staff only" maxLength={200} />
    </FormDialog>
  )
}
