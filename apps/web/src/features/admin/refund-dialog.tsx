import { useMutation, useQueryClient } from '@tanstack/react-query'
import { hash32, type ListedPayment } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { itoAmount } from './ito-amount.ts'
import { refreshAreas } from './refresh.ts'

/** Records a refund: links a payment to the outgoing transaction that refunded it. */
export function RefundDialog({ payment, onClose }: { payment: ListedPayment; onClose: () => void }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const { id, payer, tokenAmount } = payment
  const record = useMutation({
    mutationFn: (transactionHash: string) =>
      withReauthentication(() => call('recordRefund', { params: { id }, body: { transactionHash } })),
    onSuccess: ({ message }) => {
      toast({ title: 'Refund Recorded', description: message, variant: 'success' })
      refreshAreas(queryClient, ['payments', 'audit'])
      onClose()
    },
    onError: (reason) => toastRefusal('Error', reason, 'The refund was not recorded. Please try again.'),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const hash = hash32.safeParse(text.trim())
    if (!hash.success) setError('Enter a transaction hash: 0x and 64 hexadecimal digits.')
    else if (!record.isPending) record.mutate(hash.data)
  }

  return (
    <FormDialog
      title="Record a refund"
      description={
        <span className="wrap-anywhere">
          {itoAmount(tokenAmount)} came from {payer}. Send ITO back from the treasury with your wallet, then enter that
          transaction. The server checks it on the chain.
        </span>
      }
      words={{ send: 'Check and record', sending: 'Reading the chain…' }}
      isSending={record.isPending}
      error={undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        mono
        label="Transaction hash"
        value={text}
        error={error}
        maxLength={70}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value)
          setError(undefined)
        }}
      />
    </FormDialog>
  )
}
