import { AlertHistory } from './alert-history.tsx'
import { CreateAlertForm } from './create-alert-form.tsx'

export function AlertsTab() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,544fr)_minmax(0,800fr)]">
      <CreateAlertForm />
      <AlertHistory />
    </div>
  )
}
