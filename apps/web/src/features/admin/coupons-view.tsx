import { useInfiniteQuery } from '@tanstack/react-query'
import { type AdminCoupon, getPlan, planIds } from '@tocsin/protocol'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { Allowed, useAllowed } from './allowed.tsx'
import { CouponDialog } from './coupon-dialog.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { QueryRows } from './query-rows.tsx'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/** Lists coupons with their uses. Admins can create and end coupons. */
export function CouponsView() {
  const query = useInfiniteQuery(adminQueries.coupons)
  const [isCreating, setCreating] = useState(false)
  const coupons = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel
      title="Coupons"
      detail="Reduce the price of a plan, or pay all of it"
      actions={
        <Allowed to="payments.manage">
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden size={16} strokeWidth={2.25} />
            New coupon
          </Button>
        </Allowed>
      }
      flush
      footer={
        coupons.length === 0 ? undefined : (
          <LoadMore query={query}>{formatNewestFirst(query.hasNextPage, coupons.length)}</LoadMore>
        )
      }
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading coupons', rows: 4 }}
        failed="Failed to fetch coupons"
        empty={
          <EmptyState title="No coupons yet">
            A coupon takes a percentage or an amount of ITO off a plan. One that pays the whole price starts a trial
            without a payment. Buyers enter its code when they choose a plan.
          </EmptyState>
        }
      >
        {coupons.length > 0 && <CouponTable coupons={coupons} />}
      </QueryRows>
      {isCreating && <CouponDialog onClose={() => setCreating(false)} />}
    </Panel>
  )
}

const stateStyles: Record<AdminCoupon['state'], { tone: BadgeTone; word: string }> = {
  active: { tone: 'ok', word: 'Active' },
  used_up: { tone: 'neutral', word: 'Used up' },
  expired: { tone: 'neutral', word: 'Expired' },
  ended: { tone: 'neutral', word: 'Ended' },
}

function CouponTable({ coupons }: { coupons: AdminCoupon[] }) {
  const mayEnd = useAllowed('payments.manage')
  return (
    <Table caption="Coupons, newest first" cards>
      <thead>
        <tr>
          <Th>Code</Th>
          <Th>State</Th>
          <Th>Discount</Th>
          <Th>Plans</Th>
          <Th>Used</Th>
          <Th>Total discount</Th>
          <Th>Expires</Th>
          {mayEnd && (
            <Th>
              <span className="sr-only">Action</span>
            </Th>
          )}
        </tr>
      </thead>
      <tbody>
        {coupons.map((coupon) => (
          <CouponRow key={coupon.id} coupon={coupon} mayEnd={mayEnd} />
        ))}
      </tbody>
    </Table>
  )
}

function CouponRow({ coupon, mayEnd }: { coupon: AdminCoupon; mayEnd: boolean }) {
  const { code, note, state, percent, amountWei, planTypes, maxUses, maxUsesPerAccount, used, reserved } = coupon
  const uses = `${formatCount(used)} of ${formatCount(maxUses)}`
  return (
    <Tr>
      <Td className="py-2 phone:col-span-2">
        <span className="inline-flex items-center gap-1 text-data font-medium wrap-anywhere">
          {code}
          <CopyButton text={code} label={`Copy code ${code}`} />
        </span>
        <span className="block max-w-64 text-hint text-2 wrap-anywhere">{note}</span>
      </Td>
      <Td label="State">
        <Badge tone={stateStyles[state].tone}>{stateStyles[state].word}</Badge>
      </Td>
      <Td label="Discount" mono>
        {percent === null ? formatItoAmount(amountWei ?? '0') : `${percent}%`}
      </Td>
      <Td label="Plans">
        {planTypes.length === planIds.length ? 'All plans' : planTypes.map((id) => getPlan(id).name).join(', ')}
      </Td>
      <Td label="Used">
        <span className="text-data">{uses}</span>
        <span className="block text-hint text-2">
          {maxUsesPerAccount === 1 ? 'Once' : `${formatCount(maxUsesPerAccount)} times`} per account
          {reserved > 0 && `, ${formatCount(reserved)} unpaid`}
        </span>
      </Td>
      <Td label="Total discount" mono>
        {formatItoAmount(coupon.discountWei)}
      </Td>
      <Td label="Expires">
        <span className="text-data">
          <Time at={coupon.expiresAt} show="date" /> <ZoneName />
        </span>
      </Td>
      {mayEnd && <Td className="text-right">{state === 'active' && <EndButton coupon={coupon} />}</Td>}
    </Tr>
  )
}

function EndButton({ coupon: { id, code } }: { coupon: AdminCoupon }) {
  const end = useAdminAction({
    run: () => call('endCoupon', { params: { id } }),
    done: 'Coupon Ended',
    failed: 'The coupon could not be ended. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.coupons.queryKey),
  })
  return (
    <Button
      size="sm"
      variant="ghost"
      busy={end.isPending}
      aria-label={`End coupon ${code}`}
      onClick={() => end.mutate()}
    >
      End
    </Button>
  )
}
