import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { z } from 'zod'
import { importOrThrow } from '../../browser/load-page.ts'
import { paths } from '../../paths.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { ActivityLog } from './activity-log.tsx'

const PaymentHistory = lazy(async () => ({
  default: (await importOrThrow(() => import('../subscription/payment-history.tsx'))).PaymentHistory,
}))

const historySearch = z.object({ tab: z.enum(['activity', 'payments']).catch('activity') })

/** The activity and the payments of the account. */
export function HistoryPage() {
  const { tab } = historySearch.parse(useSearch({ strict: false }))
  const navigate = useNavigate()
  return (
    <>
      <h1 className="text-h1">History</h1>
      <p className="mt-1 mb-2 text-body text-2">The activity of your account. It is visible only to you.</p>
      <Tabs
        label="History"
        value={tab}
        onChange={(value) =>
          void navigate({ to: paths.history, search: value === 'activity' ? {} : { tab: value }, replace: true })
        }
        tabs={[
          { value: 'activity', label: 'Activity', panel: <ActivityLog /> },
          {
            value: 'payments',
            label: 'Payments',
            panel: (
              <Suspense>
                <PaymentHistory />
              </Suspense>
            ),
          },
        ]}
        panelClassName="mt-6"
      />
    </>
  )
}
