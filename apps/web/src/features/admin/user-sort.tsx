import { type UserSort, userSorts } from '@tocsin/protocol'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { ZoneName } from '../../ui/time.tsx'
import { useAllowed } from './allowed.tsx'
import { userColumns } from './user-row.tsx'

export const sortLabels: Record<UserSort, string> = {
  newest: 'newest first',
  oldest: 'oldest first',
  name: 'by name',
  email: 'by email',
  seen: 'last seen first',
  expires: 'plans that end first',
  paid: 'most paid first',
}

interface SortProps {
  sort: UserSort
  onSort: (sort: UserSort) => void
}

/** A select field for the order, used where the columns have no headings. */
export function SortSelect({ sort, onSort, className }: SortProps & { className?: string }) {
  const seesPayments = useAllowed('payments.read')
  return (
    <SelectField
      hideLabel
      label="Sort users"
      size="sm"
      value={sort}
      onChange={({ target }) => onSort(userSorts.find((one) => one === target.value) ?? 'newest')}
      className={classNames('w-48 phone:min-w-0 phone:flex-1', className)}
    >
      {userSorts.map(
        (one) =>
          (one !== 'paid' || seesPayments) && (
            <option key={one} value={one}>
              {`Sort: ${sortLabels[one]}`}
            </option>
          ),
      )}
    </SelectField>
  )
}

/**
 * The column headings. A click sorts the list. "User" has three orders: newest, oldest, by name.
 */
export function UserListHeader({ sort, onSort }: SortProps) {
  const seesPayments = useAllowed('payments.read')
  const nextUserColumnSort = { newest: 'oldest', oldest: 'name' } as const
  const isSortedByUserColumn = sort === 'newest' || sort === 'oldest' || sort === 'name'
  const toggleSort = (columnSort: UserSort) => onSort(sort === columnSort ? 'newest' : columnSort)
  return (
    <thead className="block max-lg:sr-only">
      <tr className={`${userColumns} h-9 text-label text-2`}>
        <Heading>
          <span className="sr-only">Role</span>
        </Heading>
        <Heading
          sorted={isSortedByUserColumn ? (sort === 'newest' ? 'descending' : 'ascending') : undefined}
          hint={isSortedByUserColumn ? sortLabels[sort] : undefined}
          onSort={() => onSort(sort === 'newest' || sort === 'oldest' ? nextUserColumnSort[sort] : 'newest')}
        >
          User
        </Heading>
        <Heading>Subscription</Heading>
        <Heading sorted={sort === 'email' ? 'ascending' : undefined} onSort={() => toggleSort('email')}>
          Email
        </Heading>
        <Heading>Wallet</Heading>
        <Heading
          sorted={sort === 'paid' ? 'descending' : undefined}
          onSort={seesPayments ? () => toggleSort('paid') : undefined}
          className="text-right max-xl:hidden"
        >
          Paid, ITO
        </Heading>
        <Heading
          sorted={sort === 'seen' ? 'descending' : undefined}
          onSort={() => toggleSort('seen')}
          className="max-xl:hidden"
        >
          Last seen
        </Heading>
        <Heading sorted={sort === 'expires' ? 'ascending' : undefined} onSort={() => toggleSort('expires')}>
          Expires <ZoneName />
        </Heading>
        <Heading>
          <span className="sr-only">Actions</span>
        </Heading>
      </tr>
    </thead>
  )
}

interface HeadingProps {
  children: React.ReactNode
  sorted?: 'ascending' | 'descending' | undefined
  /** The current order in words, if the column has several orders. */
  hint?: string | undefined
  onSort?: (() => void) | undefined
  className?: string
}

function Heading({ children, sorted, hint, onSort, className }: HeadingProps) {
  const Arrow = sorted === 'ascending' ? ArrowUp : ArrowDown
  return (
    <th scope="col" aria-sort={sorted} className={classNames('text-left font-normal', className)}>
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className="touch-target inline-flex items-center gap-1 text-label hover:text-1"
        >
          {children}
          {sorted && <Arrow aria-hidden size={12} strokeWidth={2.25} />}
          {hint && <span className="text-hint">{hint}</span>}
        </button>
      ) : (
        children
      )}
    </th>
  )
}
