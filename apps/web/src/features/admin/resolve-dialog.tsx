import { zodResolver } from '@hookform/resolvers/zod'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AdminUser, plans, type UnmatchedPayment } from '@tocsin/protocol'
import { TriangleAlert, X } from 'lucide-react'
import { useState } from 'react'
import { useController, useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Address } from '../../ui/address.tsx'
import { FieldError } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { shortenHex } from '../../ui/short-hex.ts'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { refreshAfterChange } from './refresh.ts'
import {
  type ChosenAccount,
  createChosenAccount,
  createResolutionDraft,
  createResolveRequest,
  type ResolveDraft,
  type ResolveForm,
  resolveForm,
} from './resolve-form.ts'
import { formatUnmatchedReason } from './unmatched-texts.ts'
import { useAdminAction } from './use-admin-action.ts'
import { getDisplayName } from './user-texts.ts'

const actions = [
  { value: 'credit', label: 'Credit a plan' },
  { value: 'refund_noted', label: 'Record a refund' },
  { value: 'ignore', label: 'Ignore' },
] as const

const explanations = {
  '': '',
  credit:
    'The plan starts now, or when the current one ends. An overpayment stays in the treasury and is listed under Unusual purchases until you resolve it.',
  refund_noted: 'Send the tokens back first. This only records the refund; Tocsin does not send tokens.',
  ignore: 'The payment stays in the treasury and no plan is granted.',
}

interface ResolveDialogProps {
  payment: UnmatchedPayment
  /** The action that is selected when the dialog opens, if any. */
  start: 'credit' | undefined
  onClose: () => void
}

/** Resolves a payment that was not matched automatically. */
export function ResolveDialog({ payment, start, onClose }: ResolveDialogProps) {
  const { register, handleSubmit, control, formState } = useForm<ResolveDraft, unknown, ResolveForm>({
    resolver: zodResolver(resolveForm),
    defaultValues: createResolutionDraft(payment, start),
  })
  const action = useController({ control, name: 'action' }).field
  const account = useController({ control, name: 'account' }).field
  const isCredit = useWatch({ control, name: 'action' }) === 'credit'
  const { errors } = formState
  const resolve = useAdminAction({
    run: (form: ResolveForm) =>
      call('resolveUnmatchedPayment', { params: { id: payment.id }, body: createResolveRequest(form) }),
    done: 'Payment Resolved',
    failed: 'Failed to resolve the payment. Please try again.',
    refresh: refreshAfterChange,
    onDone: onClose,
  })

  return (
    <FormDialog
      title="Resolve payment"
      description={`${formatItoAmount(payment.tokenAmount)}. ${formatUnmatchedReason(payment)}.`}
      submitLabels={{ send: isCredit ? 'Credit the plan' : 'Resolve', sending: 'Resolving…' }}
      isSending={resolve.isPending}
      onSubmit={handleSubmit((form) => resolve.mutate(form))}
      onClose={onClose}
    >
      <KeyValueList>
        <KeyValue label="From">
          <Address value={payment.payer} copy />
        </KeyValue>
        <KeyValue label="Transaction">
          <Address value={payment.transactionHash} copy />
        </KeyValue>
      </KeyValueList>
      <div className="grid gap-1.5">
        <Segmented label="Action" size="lg" value={action.value} onChange={action.onChange} choices={actions} />
        {errors.action?.message !== undefined && <FieldError>{errors.action.message}</FieldError>}
        {explanations[action.value] !== '' && <p className="text-hint text-2">{explanations[action.value]}</p>}
      </div>
      {isCredit && (
        <>
          <AccountPicker
            value={account.value}
            onChange={account.onChange}
            // React Hook Form nests errors under an object's keys; this error belongs to the object
            // itself.
            error={errors.account?.message}
          />
          {account.value && account.value.id !== payment.owner?.id && <NotTheirWallet />}
          <SelectField {...register('planId')} label="Plan">
            {plans.map(({ id, name, price }) => (
              <option key={id} value={id}>
                {name} ({price} ITO)
              </option>
            ))}
          </SelectField>
        </>
      )}
      <TextareaField
        {...register('reason')}
        label="Reason"
        hint="Kept with the payment and in the audit log."
        rows={2}
        error={errors.reason?.message}
      />
    </FormDialog>
  )
}

function NotTheirWallet() {
  return (
    <p role="status" className="flex items-start gap-2 text-base">
      <TriangleAlert aria-hidden size={16} strokeWidth={2.25} className="mt-0.5 shrink-0 text-medium" />
      The wallet that paid is not linked to this account. Make sure that the payment belongs to this user.
    </p>
  )
}

const offeredUserCount = 5

interface AccountPickerProps {
  value: ChosenAccount | null
  onChange: (account: ChosenAccount | null) => void
  error: string | undefined
}

/** Finds an account by name, email address or wallet. */
function AccountPicker({ value, onChange, error }: AccountPickerProps) {
  const [search, setSearch] = useState('')
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <legend className="mb-1 text-base font-medium touch:text-body">Account</legend>
      {value ? (
        <div className="flex h-10 items-center gap-2 rounded-control border border-line-2 pr-1 pl-3 touch:h-11">
          <span className="min-w-0 flex-1 truncate text-body">{value.words}</span>
          <IconButton icon={X} label="Choose another account" onClick={() => onChange(null)} />
        </div>
      ) : (
        <>
          <SearchField
            label="Search accounts"
            placeholder="Name, email or wallet"
            value={search}
            onSearch={setSearch}
          />
          {search !== '' && <AccountSuggestions search={search} onChoose={onChange} />}
        </>
      )}
      {error !== undefined && value === null && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

function AccountSuggestions({ search, onChoose }: { search: string; onChoose: (account: ChosenAccount) => void }) {
  const { data: users, isError } = useQuery({
    queryKey: ['/api/admin/users/found', search],
    queryFn: ({ signal }) => call('listUsers', { query: { search, limit: offeredUserCount }, signal }),
    placeholderData: keepPreviousData,
  })
  if (isError) return <p role="alert">Failed to fetch users</p>
  if (!users) return <p className="h-11 py-3 text-base text-2">Searching…</p>
  if (users.length === 0) return <p className="h-11 py-3 text-base text-2">No account matches.</p>
  return (
    <ul aria-label="Accounts found" className="divide-y divide-line-1 border border-line-1">
      {users.map((user) => (
        <li key={user.id}>
          <Offer user={user} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  )
}

function Offer({ user, onChoose }: { user: AdminUser; onChoose: (account: ChosenAccount) => void }) {
  const name = getDisplayName(user)
  const otherNames = [user.email, user.walletAddress && shortenHex(user.walletAddress)].filter(
    (word) => word && word !== name,
  )
  return (
    <button
      type="button"
      onClick={() => onChoose(createChosenAccount(user, name))}
      className="focus-inset flex min-h-10 w-full items-center gap-3 px-3 py-1 text-left text-base hover:bg-ink-2 touch:min-h-11"
    >
      <span className="max-w-[60%] truncate font-medium">{name}</span>
      <span className="min-w-0 flex-1 truncate text-right text-2">{otherNames.join(', ')}</span>
    </button>
  )
}
