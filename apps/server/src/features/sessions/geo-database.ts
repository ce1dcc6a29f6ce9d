import maxmind, { type CityResponse } from 'maxmind'
import { addressOf } from '../../http/network.ts'

/** @returns the location of a network, as shown to the account owner, or null if it is unknown */
export type FindLocation = (network: string | null) => string | null

/**
 * Opens a database in MaxMind's format and reads it again when the file is replaced. Addresses
 * never leave this machine.
 * @param path null if the operator has no database
 */
export async function openGeoDatabase(path: string | null): Promise<FindLocation> {
  if (path === null) return () => null
  const database = await maxmind.open<CityResponse>(path, { watchForUpdatesNonPersistent: true }).catch((error) => {
    throw new Error(`GEO_DATABASE cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  return (network) => {
    const address = network && addressOf(network)
    return address && maxmind.validate(address) ? describeLocation(database.get(address)) : null
  }
}

function describeLocation(found: CityResponse | null): string | null {
  const names = [found?.city?.names.en, found?.country?.names.en].filter((name) => name !== undefined)
  return names.length === 0 ? null : names.join(', ')
}
