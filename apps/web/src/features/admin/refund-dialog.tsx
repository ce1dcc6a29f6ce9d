import { hash32, type ListedPayment } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { refreshAreas } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/** Records a refund: links a payment to the outgoing transaction that refunded it. */
export function RefundDialog({ payment, onClose }: { payment: ListedPayment; onClose: () => void }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const { id, payer, tokenAmount } = payment
  const record = useAdminAction({
    run: (transactionHash: string) => call('recordRefund', { params: { id }, body: { transactionHash } }),
    done: 'Refund Recorded',
    failed: 'The refund was not recorded. Please try again.',
    refresh: (client) => refreshAreas(client, ['payments', 'audit']),
    onDone: onClose,
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
          {formatItoAmount(tokenAmount)} came from {payer}. Send ITO back from the treasury with your wallet, then enter
          that transaction. The server checks it on the chain.
        </span>
      }
      submitLabels={{ send: 'Check and record', sending: 'Reading the chain…' }}
      isSending={record.isPending}
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
