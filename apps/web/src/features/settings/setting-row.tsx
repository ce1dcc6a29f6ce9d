import type { ReactNode } from 'react'

interface SettingRowProps {
  label: ReactNode
  /** Below the label: the current value, or what the action does. */
  detail: ReactNode
  /** Badge or buttons at the right end. */
  children?: ReactNode
}

/** One setting with its actions, for a flush panel. At least 64 px high. */
export function SettingRow({ label, detail, children }: SettingRowProps) {
  return (
    <li className="flex min-h-16 flex-wrap items-center gap-x-4 gap-y-2 px-5 py-2.5 phone:px-4">
      <div className="min-w-44 flex-1">
        <p className="text-base font-medium">{label}</p>
        <div className="text-base wrap-anywhere text-2">{detail}</div>
      </div>
      {children !== undefined && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </li>
  )
}

export function SettingRows({ children }: { children: ReactNode }) {
  return <ul className="divide-y divide-line-1">{children}</ul>
}
