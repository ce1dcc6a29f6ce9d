import { Rows2, Rows4 } from 'lucide-react'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { Segmented } from '../../ui/segmented.tsx'

/** Chooses comfortable or compact rows. `className` hides it where rows have only one height. */
export function DensitySwitch({ className }: { className: string }) {
  const { preferences } = usePreferences()
  const save = useSavePreferences()
  return (
    <Segmented
      label="Density"
      className={className}
      value={preferences.density}
      onChange={(density) => save({ density })}
      choices={[
        { value: 'comfortable', label: <Icon icon={Rows2} name="Comfortable" /> },
        { value: 'compact', label: <Icon icon={Rows4} name="Compact" /> },
      ]}
    />
  )
}

function Icon({ icon: Drawing, name }: { icon: typeof Rows2; name: string }) {
  return (
    <span title={name}>
      <Drawing aria-hidden size={14} strokeWidth={2.25} />
      <span className="sr-only">{name}</span>
    </span>
  )
}
