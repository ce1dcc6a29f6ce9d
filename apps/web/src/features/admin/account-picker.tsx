import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { AdminUser } from '@tocsin/protocol'
import { X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { FieldError } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { shortHex } from '../../ui/short-hex.ts'
import { accountOf, type ChosenAccount } from './resolve-form.ts'
import { displayName } from './user-words.ts'

const offered = 5

interface AccountPickerProps {
  value: ChosenAccount | null
  onChange: (account: ChosenAccount | null) => void
  error: string | undefined
}

/** Finds an account by name, email address or wallet. */
export function AccountPicker({ value, onChange, error }: AccountPickerProps) {
  const [search, setSearch] = useState('')
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <legend className="mb-1 text-base font-medium touch:text-body">Account</legend>
      {value ? (
        <div className="flex h-10 items-center gap-2 rounded-control border border-line-2 pr-1 pl-3 touch:h-11">
          <span className="min-w-0 flex-1 truncate text-body">{value.words}</span>
          <IconButton icon={X} label="Choose another account" onClick={() => onChange(null)} />
        </div>
      ) : (
        <>
          <SearchField
            label="Search accounts"
            placeholder="Name, email or wallet"
            value={search}
            onSearch={setSearch}
          />
          {search !== '' && <Offers search={search} onChoose={onChange} />}
        </>
      )}
      {error !== undefined && value === null && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

function Offers({ search, onChoose }: { search: string; onChoose: (account: ChosenAccount) => void }) {
  const { data: users, isError } = useQuery({
    queryKey: ['/api/admin/users/found', search],
    queryFn: ({ signal }) => call('listUsers', { query: { search, limit: offered }, signal }),
    placeholderData: keepPreviousData,
  })
  if (isError) return <p role="alert">Failed to fetch users</p>
  if (!users) return <p className="h-11 py-3 text-base text-2">Searching…</p>
  if (users.length === 0) return <p className="h-11 py-3 text-base text-2">No account matches.</p>
  return (
    <ul aria-label="Accounts found" className="divide-y divide-line-1 border border-line-1">
      {users.map((user) => (
        <li key={user.id}>
          <Offer user={user} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  )
}

function Offer({ user, onChoose }: { user: AdminUser; onChoose: (account: ChosenAccount) => void }) {
  const name = displayName(user)
  const also = [user.email, user.walletAddress && shortHex(user.walletAddress)].filter((word) => word && word !== name)
  return (
    <button
      type="button"
      onClick={() => onChoose(accountOf(user, name))}
      className="focus-inset flex min-h-10 w-full items-center gap-3 px-3 py-1 text-left text-base hover:bg-ink-2 touch:min-h-11"
    >
      <span className="max-w-[60%] truncate font-medium">{name}</span>
      <span className="min-w-0 flex-1 truncate text-right text-2">{also.join(', ')}</span>
    </button>
  )
}
