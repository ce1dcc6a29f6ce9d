import { PaymentsView } from './payments-view.tsx'
import { SubViews } from './sub-views.tsx'
import { OpenCount } from './unmatched-summary.tsx'
import { useAdminPlace } from './use-admin-place.ts'
import { UsersView } from './users-view.tsx'

const views = [
  { label: 'Users', view: undefined },
  { label: 'Payments', view: 'payments', mark: <OpenCount /> },
] as const

export function UsersTab() {
  const { view } = useAdminPlace()
  const current = view === 'payments' ? 'payments' : undefined
  return (
    <div className="flex flex-col gap-4">
      <SubViews label="User Management" tab="users" current={current} views={views} />
      {current === 'payments' ? <PaymentsView /> : <UsersView />}
    </div>
  )
}
