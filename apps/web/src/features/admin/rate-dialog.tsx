import { type BusinessRevenue, type ItoRate, itoRate } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { TextField } from '../../ui/text-field.tsx'
import { adminQueries } from './admin-queries.ts'
import { ambiguousNumberMessage, isAmbiguousNumber } from './ambiguous-number.ts'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/** Formats an exchange rate with all its digits and without an exponent. */
const formatRate = (perIto: number, useGrouping = true) =>
  perIto.toLocaleString(numberLocale, { maximumFractionDigits: 20, useGrouping })

/** Shows the rate of ITO in the operator's currency, and opens the form that changes it. */
export function RateButton({ rate }: Pick<BusinessRevenue, 'rate'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" variant="ghost" onClick={() => setOpen(true)}>
        {rate ? `1 ITO = ${formatRate(rate.perIto)} ${rate.currency}` : 'Set an exchange rate'}
      </Button>
      {isOpen && <RateDialog rate={rate} onClose={() => setOpen(false)} />}
    </>
  )
}

function RateDialog({ rate, onClose }: Pick<BusinessRevenue, 'rate'> & { onClose: () => void }) {
  const [currency, setCurrency] = useState(rate?.currency ?? 'EUR')
  const [perIto, setPerIto] = useState(rate ? formatRate(rate.perIto, false) : '')
  const [error, setError] = useState<string>()
  const save = useAdminAction({
    run: (nextRate: ItoRate | null) => call('saveRate', { body: { rate: nextRate } }),
    done: 'Rate Saved',
    failed: 'The rate was not saved. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.revenue.queryKey),
    onDone: onClose,
  })

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (perIto.trim() === '') {
      save.mutate(null)
      return
    }
    if (isAmbiguousNumber(perIto)) {
      setError(ambiguousNumberMessage)
      return
    }
    const rateResult = itoRate.safeParse({
      currency: currency.trim().toUpperCase(),
      perIto: Number(perIto.replace(',', '.')),
    })
    if (rateResult.success) save.mutate(rateResult.data)
    else setError('Enter a currency of three letters, such as EUR, and a number above 0.')
  }

  return (
    <FormDialog
      title="ITO exchange rate"
      description="Amounts on this page are also shown in your currency. Prices and payments do not depend on the rate."
      submitLabels={{ send: 'Save', sending: 'Saving…' }}
      isSending={save.isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Currency"
        value={currency}
        maxLength={3}
        autoComplete="off"
        onChange={({ target }) => setCurrency(target.value)}
      />
      <TextField
        label="Value of 1 ITO"
        aside="Empty removes the rate"
        inputMode="decimal"
        value={perIto}
        maxLength={20}
        autoComplete="off"
        mono
        onChange={({ target }) => setPerIto(target.value)}
      />
    </FormDialog>
  )
}
