import { useQuery } from '@tanstack/react-query'
import { listedVerdicts } from '@tocsin/protocol'
import { zoneName } from '../../ui/format-time.ts'
import { MultiSelect } from '../../ui/multi-select.tsx'
import { useNow } from '../../ui/now.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import type { AlertPlace } from '../alert/alert-place.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { toggled, verdictWords } from '../alert/filter-words.ts'

type FilterDetailsProps = {
  place: AlertPlace
  onRefine: (change: Partial<AlertPlace>) => void
  className: string
}

/** Fields for assets, types, regime, verdict, and the range of dates of issue. */
export function FilterDetails({ place, onRefine, className }: FilterDetailsProps) {
  const { data } = useQuery(alertQueries.facets)
  const { asset = [], type = [], regime } = place
  const style = useTimeStyle()
  const zone = useNow((nowMs) => zoneName(nowMs, style))
  return (
    <div className={`grid gap-3 ${className}`}>
      <MultiSelect
        label="Asset"
        all="All assets"
        noun="assets"
        options={data?.assets ?? []}
        chosen={asset}
        onToggle={(name) => onRefine({ asset: toggled(asset, name) })}
        onClear={() => onRefine({ asset: undefined })}
      />
      <MultiSelect
        label="Type"
        all="All types"
        noun="types"
        options={data?.types ?? []}
        chosen={type}
        onToggle={(name) => onRefine({ type: toggled(type, name) })}
        onClear={() => onRefine({ type: undefined })}
      />
      <SelectField
        label="Regime"
        size="sm"
        value={regime ?? ''}
        onChange={({ target }) => onRefine({ regime: target.value || undefined })}
      >
        <Options all="All regimes" names={data?.regimes ?? []} chosen={regime} />
      </SelectField>
      <SelectField
        label="Prediction"
        size="sm"
        value={place.verdict ?? ''}
        onChange={({ target }) => onRefine({ verdict: listedVerdicts.find((verdict) => verdict === target.value) })}
      >
        <option value="">All alerts</option>
        {listedVerdicts.map((verdict) => (
          <option key={verdict} value={verdict}>
            {verdictWords[verdict]}
          </option>
        ))}
      </SelectField>
      <TextField
        label={`From (${zone})`}
        type="date"
        size="sm"
        max={place.to}
        value={place.from ?? ''}
        onChange={({ target }) => onRefine({ from: target.value || undefined })}
      />
      <TextField
        label={`To (${zone})`}
        type="date"
        size="sm"
        min={place.from}
        value={place.to ?? ''}
        onChange={({ target }) => onRefine({ to: target.value || undefined })}
      />
    </div>
  )
}

/** Options of a select field. They include the chosen value even if no alert has it any more. */
function Options({ all, names, chosen }: { all: string; names: readonly string[]; chosen: string | undefined }) {
  const listed = chosen === undefined || names.includes(chosen) ? names : [chosen, ...names]
  return (
    <>
      <option value="">{all}</option>
      {listed.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  )
}
