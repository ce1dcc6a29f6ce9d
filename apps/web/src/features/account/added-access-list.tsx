import type { AccessBesidesPassword, IdentityProvider } from '@tocsin/protocol'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { providerNames } from './provider-return.ts'

/**
 * The wallets, providers, destinations and second factors that the user has selected for removal.
 */
export interface Removal {
  removeWallets: string[]
  removeProviders: IdentityProvider[]
  removeDestinations: string[]
  removeFactors: string[]
}

interface AddedAccessListProps {
  waysIn: AccessBesidesPassword
  /** Selected entries. Each entry has a checkbox. If undefined, the list is read-only. */
  choice?: { removal: Removal; onChange: (removal: Removal) => void }
}

/**
 * Lists the wallets and providers that can sign in, the second factors, and the destinations that
 * get alerts, each with the date on which it was added.
 */
export function AddedAccessList({ waysIn, choice }: AddedAccessListProps) {
  const { identities, wallets, destinations, factors } = waysIn
  const rows = [
    ...identities.map(({ provider, email, linkedAt }) => ({
      key: provider,
      name: email === null ? providerNames[provider] : `${providerNames[provider]} (${email})`,
      linkedAt,
      isChosen: choice?.removal.removeProviders.includes(provider) ?? false,
      toggle: ({ removeProviders, ...rest }: Removal) => ({
        ...rest,
        removeProviders: toggleValue(removeProviders, provider),
      }),
    })),
    ...wallets.map(({ address, linkedAt }) => ({
      key: address,
      name: `Wallet ${address}`,
      linkedAt,
      isChosen: choice?.removal.removeWallets.includes(address) ?? false,
      toggle: ({ removeWallets, ...rest }: Removal) => ({
        ...rest,
        removeWallets: toggleValue(removeWallets, address),
      }),
    })),
    ...factors.map(({ id, name, addedAt }) => ({
      key: id,
      name,
      linkedAt: addedAt,
      isChosen: choice?.removal.removeFactors.includes(id) ?? false,
      toggle: ({ removeFactors, ...rest }: Removal) => ({ ...rest, removeFactors: toggleValue(removeFactors, id) }),
    })),
    ...destinations.map(({ id, kind, name, createdAt }) => ({
      key: id,
      name: `Destination “${name}” (${kind})`,
      linkedAt: createdAt,
      isChosen: choice?.removal.removeDestinations.includes(id) ?? false,
      toggle: ({ removeDestinations, ...rest }: Removal) => ({
        ...rest,
        removeDestinations: toggleValue(removeDestinations, id),
      }),
    })),
  ]
  return (
    <ul className="grid gap-3">
      {rows.map(({ key, name, linkedAt, isChosen, toggle }) => (
        <li key={key} className="wrap-anywhere">
          {choice ? (
            <Checkbox
              label={`Remove ${name}`}
              name={`remove-${key}`}
              checked={isChosen}
              onChange={() => choice.onChange(toggle(choice.removal))}
            />
          ) : (
            name
          )}
          <p className="text-hint text-2">
            Added <Time at={linkedAt} show="date" /> <ZoneName />
          </p>
        </li>
      ))}
    </ul>
  )
}

function toggleValue<Value>(values: readonly Value[], value: Value): Value[] {
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value]
}
