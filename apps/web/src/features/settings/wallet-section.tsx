import { Link } from '@tanstack/react-router'
import { useUser } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'

/** The wallets that belong to the account, and which of them this session may speak for. */
export function WalletSection() {
  const { wallets, provedWallets } = useUser()
  const proved = new Set(provedWallets.map((address) => address.toLowerCase()))
  return (
    <Panel
      title="Wallet"
      flush
      {...(wallets.length > 0 && {
        footer: 'Prove a wallet in this session to pay with it and to get its alerts live.',
      })}
    >
      {wallets.length === 0 ? (
        <EmptyState
          title="No wallet linked"
          action={
            <Button asChild>
              <Link to={paths.dashboard}>Go to the dashboard</Link>
            </Button>
          }
        >
          Connect a wallet on the dashboard and prove it with one signature; it is listed here then.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line-1">
          {wallets.map((address) => (
            <li key={address} className="flex min-h-12 items-center justify-between gap-4 px-5 phone:px-4">
              <Address value={address} copy />
              {proved.has(address.toLowerCase()) ? (
                <Badge tone="ok">Proved in this session</Badge>
              ) : (
                <Badge>Not proved in this session</Badge>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
