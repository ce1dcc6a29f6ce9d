import { addressOfKey, hexToBytes } from '@tocsin/proof'
import type { SettingName, SetValues } from './settings-table.ts'

const SIGNING_KEY_SETTINGS = ['SIGNER_KEY', 'SIGNER_KEY_NEXT'] as const satisfies SettingName[]
const ONLINE_KEY_SETTINGS = [...SIGNING_KEY_SETTINGS, 'ANCHOR_KEY'] as const satisfies SettingName[]

/**
 * Finds keys that are used for more than one purpose. With separate keys, a stolen key can be used
 * for one purpose only. Returns one problem for each pair of purposes that share a key.
 */
export function findSharedKeys(setValues: SetValues): string[] {
  const treasuries = [setValues.TREASURY_ADDRESS, ...(setValues.PAYMENT_CHAINS ?? []).map(({ treasury }) => treasury)]
  const anchorAddress = deriveAddress(setValues.ANCHOR_KEY)
  return [
    ...ONLINE_KEY_SETTINGS.filter((name) => isAmong(deriveAddress(setValues[name]), treasuries)).map(
      (name) =>
        `${name} is also the key of the treasury: anyone who steals it could take all income. Use separate keys`,
    ),
    ...SIGNING_KEY_SETTINGS.filter((name) => isAmong(deriveAddress(setValues[name]), [anchorAddress])).map(
      (name) => `${name} is also ANCHOR_KEY: anyone who steals it could both sign and anchor alerts. Use separate keys`,
    ),
  ]
}

function isAmong(address: string | null, candidates: readonly (string | null | undefined)[]): boolean {
  return address !== null && candidates.includes(address)
}

/**
 * Returns the address of a key. Returns null if the key is invalid: zero, or above the curve order.
 */
export function deriveAddress(key: string | undefined): string | null {
  try {
    return key === undefined ? null : addressOfKey(hexToBytes(`0x${key.slice(2)}`))
  } catch {
    return null
  }
}
