import { useQuery } from '@tanstack/react-query'
import { listedVerdicts } from '@tocsin/protocol'
import { useState } from 'react'
import { getZoneName } from '../../ui/format-time.ts'
import { MultiSelect } from '../../ui/multi-select.tsx'
import { useNow } from '../../ui/now.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { type AlertSearchParams, parseDay } from '../alert/alert-search-params.ts'
import { toggleValue } from '../alert/filter-texts.ts'
import { outcomeNames } from '../prediction/outcome-state.ts'

type FilterDetailsProps = {
  searchParams: AlertSearchParams
  onRefine: (change: Partial<AlertSearchParams>) => void
  className: string
}

/** Fields for assets, types, regime, verdict, and the range of dates of issue. */
export function FilterDetails({ searchParams, onRefine, className }: FilterDetailsProps) {
  const { data } = useQuery(alertQueries.facets)
  const { asset = [], type = [], regime } = searchParams
  const style = useTimeStyle()
  const zone = useNow((nowMs) => getZoneName(nowMs, style))
  return (
    <div className={`grid gap-3 ${className}`}>
      <MultiSelect
        label="Asset"
        all="All assets"
        noun="assets"
        options={data?.assets ?? []}
        chosen={asset}
        onToggle={(name) => onRefine({ asset: toggleValue(asset, name) })}
        onClear={() => onRefine({ asset: undefined })}
      />
      <MultiSelect
        label="Type"
        all="All types"
        noun="types"
        options={data?.types ?? []}
        chosen={type}
        onToggle={(name) => onRefine({ type: toggleValue(type, name) })}
        onClear={() => onRefine({ type: undefined })}
      />
      <SelectField
        label="Regime"
        size="sm"
        value={regime ?? ''}
        onChange={({ target }) => onRefine({ regime: target.value || undefined })}
      >
        <Options allLabel="All regimes" names={data?.regimes ?? []} chosen={regime} />
      </SelectField>
      <SelectField
        label="Prediction"
        size="sm"
        value={searchParams.verdict ?? ''}
        onChange={({ target }) => onRefine({ verdict: listedVerdicts.find((verdict) => verdict === target.value) })}
      >
        <option value="">All alerts</option>
        {listedVerdicts.map((verdict) => (
          <option key={verdict} value={verdict}>
            {outcomeNames[verdict]}
          </option>
        ))}
      </SelectField>
      <DayField
        label={`From (${zone})`}
        max={searchParams.to}
        day={searchParams.from}
        onChange={(from) => onRefine({ from })}
      />
      <DayField
        label={`To (${zone})`}
        min={searchParams.from}
        day={searchParams.to}
        onChange={(to) => onRefine({ to })}
      />
    </div>
  )
}

type DayFieldProps = {
  label: string
  min?: string | undefined
  max?: string | undefined
  day: string | undefined
  onChange: (day: string | undefined) => void
}

/**
 * Field for a day. While the user types the year, the field shows the incomplete date and the
 * filter keeps its day.
 */
function DayField({ label, min, max, day, onChange }: DayFieldProps) {
  const [typedDay, setTypedDay] = useState(day)
  const [lastDay, setLastDay] = useState(day)
  if (day !== lastDay) {
    setLastDay(day)
    setTypedDay(day)
  }
  function change(text: string) {
    setTypedDay(text)
    const parsedDay = parseDay(text)
    if (parsedDay !== day && (parsedDay !== undefined || text === '')) onChange(parsedDay)
  }
  return (
    <TextField
      label={label}
      type="date"
      size="sm"
      min={min}
      max={max}
      value={typedDay ?? ''}
      onChange={({ target }) => change(target.value)}
      onBlur={() => setTypedDay(day)}
    />
  )
}

/** Options of a select field. They include the chosen value even if no alert has it any more. */
function Options({
  allLabel,
  names,
  chosen,
}: {
  allLabel: string
  names: readonly string[]
  chosen: string | undefined
}) {
  const listedNames = chosen === undefined || names.includes(chosen) ? names : [chosen, ...names]
  return (
    <>
      <option value="">{allLabel}</option>
      {listedNames.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  )
}
