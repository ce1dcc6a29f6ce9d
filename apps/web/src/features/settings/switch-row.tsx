import { type ReactNode, useId } from 'react'
import { Switch } from '../../ui/switch.tsx'
import { SettingRow } from './setting-row.tsx'

interface SwitchRowProps {
  label: string
  /** What the setting does, and what happens when it is off. */
  detail: ReactNode
  isOn: boolean
  onChange: (isOn: boolean) => void
  /** Buttons or a badge before the switch. */
  children?: ReactNode
}

/** A setting that is on or off. */
export function SwitchRow({ label, detail, isOn, onChange, children }: SwitchRowProps) {
  const id = useId()
  return (
    <SettingRow label={<span id={id}>{label}</span>} detail={detail}>
      {children}
      <Switch labelledBy={id} isOn={isOn} onChange={onChange} />
    </SettingRow>
  )
}
