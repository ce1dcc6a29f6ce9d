import type { Control, FieldErrors, UseFormRegister } from 'react-hook-form'
import { TextField } from '../../ui/text-field.tsx'
import { ContentSuggestions, PriorityField, SummaryField } from './create-alert-fields.tsx'
import type { NewAlert, NewAlertDraft } from './new-alert.ts'

type ContentFieldsProps = {
  /** Prefix of the ids of the suggestion lists, unique on the page. */
  suggestionsId: string
  register: UseFormRegister<NewAlertDraft>
  control: Control<NewAlertDraft, unknown, NewAlert>
  errors: FieldErrors<NewAlertDraft>
}

/** The content fields of a new alert and of a correction. */
export function ContentFields({ suggestionsId, register, control, errors }: ContentFieldsProps) {
  return (
    <>
      <ContentSuggestions id={suggestionsId} />
      <div className="grid grid-cols-2 items-start gap-x-4 gap-y-5 phone:grid-cols-1">
        <TextField
          {...register('asset')}
          label="Asset"
          placeholder="ETH/USDT"
          list={`${suggestionsId}-asset`}
          autoComplete="off"
          error={errors.asset?.message}
        />
        <TextField
          {...register('anomalyType')}
          label="Anomaly type"
          aside="Optional"
          list={`${suggestionsId}-anomalyType`}
          autoComplete="off"
          error={errors.anomalyType?.message}
        />
        <TextField
          {...register('confidence')}
          label="Confidence"
          placeholder="0 to 100"
          type="number"
          inputMode="decimal"
          min={0}
          max={100}
          step={0.1}
          autoComplete="off"
          suffix="%"
          error={errors.confidence?.message}
        />
        <TextField
          {...register('regime')}
          label="Regime"
          aside="Optional"
          list={`${suggestionsId}-regime`}
          autoComplete="off"
          error={errors.regime?.message}
        />
      </div>
      <SummaryField control={control} registration={register('summary')} error={errors.summary?.message} />
      <PriorityField control={control} />
    </>
  )
}
