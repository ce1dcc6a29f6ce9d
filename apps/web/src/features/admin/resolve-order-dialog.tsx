import { zodResolver } from '@hookform/resolvers/zod'
import type { AdminOrder } from '@tocsin/protocol'
import { useController, useForm } from 'react-hook-form'
import type { z } from 'zod'
import { call } from '../../api/api.ts'
import { Address } from '../../ui/address.tsx'
import { FieldError } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { formatExcess, formatPlanAndPrice, sumReceivedWei } from './order-texts.ts'
import { refreshAfterChange } from './refresh.ts'
import { resolveOrderForm } from './resolve-form.ts'
import { useAdminAction } from './use-admin-action.ts'

const actions = [
  { value: 'refund_noted', label: 'Record a refund' },
  { value: 'ignore', label: 'Ignore' },
] as const

const explanations = {
  '': '',
  refund_noted: 'Send the tokens back first. This only records the refund; Tocsin does not send tokens.',
  ignore: 'Nothing is refunded and the plan does not change.',
}

type Draft = z.input<typeof resolveOrderForm>
type Form = z.output<typeof resolveOrderForm>

/** Dialog that records how an unusual purchase was resolved. */
export function ResolveOrderDialog({ order, onClose }: { order: AdminOrder; onClose: () => void }) {
  const { register, handleSubmit, control, formState } = useForm<Draft, unknown, Form>({
    resolver: zodResolver(resolveOrderForm),
    defaultValues: { action: '', reason: '' },
  })
  const action = useController({ control, name: 'action' }).field
  const { errors } = formState
  const excess = formatExcess(order)
  const resolve = useAdminAction({
    run: (body: Form) => call('resolveOrder', { params: { id: order.id }, body }),
    done: 'Purchase Resolved',
    failed: 'Failed to resolve the purchase. Please try again.',
    refresh: refreshAfterChange,
    onDone: onClose,
  })

  return (
    <FormDialog
      title="Resolve purchase"
      description={`${formatPlanAndPrice(order)}. ${formatItoAmount(sumReceivedWei(order))} received${excess === null ? '' : `, ${excess} too much`}.`}
      submitLabels={{ send: 'Resolve', sending: 'Resolving…' }}
      isSending={resolve.isPending}
      onSubmit={handleSubmit((body) => resolve.mutate(body))}
      onClose={onClose}
    >
      <KeyValueList>
        <KeyValue label="From">
          <Address value={order.payer} copy />
        </KeyValue>
      </KeyValueList>
      <div className="grid gap-1.5">
        <Segmented label="Action taken" size="lg" value={action.value} onChange={action.onChange} choices={actions} />
        {errors.action?.message !== undefined && <FieldError>{errors.action.message}</FieldError>}
        {explanations[action.value] !== '' && <p className="text-hint text-2">{explanations[action.value]}</p>}
      </div>
      <TextareaField
        {...register('reason')}
        label="Reason"
        hint="Kept with the purchase and in the audit log."
        rows={2}
        error={errors.reason?.message}
      />
    </FormDialog>
  )
}
