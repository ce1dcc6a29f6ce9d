import { useQuery } from '@tanstack/react-query'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { AlertPlace } from '../alert/alert-place.ts'
import { alertQueries } from '../alert/alert-queries.ts'

type FilterDetailsProps = { place: AlertPlace; onRefine: (change: Partial<AlertPlace>) => void }

/** Asset, type, and the date range of issue. */
export function FilterDetails({ place, onRefine }: FilterDetailsProps) {
  const { data } = useQuery(alertQueries.facets)
  return (
    <div className="grid grid-cols-[repeat(4,minmax(0,200px))] gap-3 pt-1 pb-2 max-lg:grid-cols-2 max-[374px]:grid-cols-1!">
      <SelectField
        label="Asset"
        size="sm"
        value={place.asset ?? ''}
        onChange={({ target }) => onRefine({ asset: target.value || undefined })}
      >
        <Options all="All assets" names={data?.assets ?? []} chosen={place.asset} />
      </SelectField>
      <SelectField
        label="Type"
        size="sm"
        value={place.type ?? ''}
        onChange={({ target }) => onRefine({ type: target.value || undefined })}
      >
        <Options all="All types" names={data?.types ?? []} chosen={place.type} />
      </SelectField>
      <TextField
        label="From (UTC)"
        type="date"
        size="sm"
        max={place.to}
        value={place.from ?? ''}
        onChange={({ target }) => onRefine({ from: target.value || undefined })}
      />
      <TextField
        label="To (UTC)"
        type="date"
        size="sm"
        min={place.from}
        value={place.to ?? ''}
        onChange={({ target }) => onRefine({ to: target.value || undefined })}
      />
    </div>
  )
}

/** Lists the chosen value even if no alert has it any more. */
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
