import { unwatchFile, watchFile } from 'node:fs'
import maxmind, { type CityResponse } from 'maxmind'
import type { Logger } from 'pino'
import type { FindLocation } from '../../context.ts'
import { getAddress } from '../../http/network.ts'

export interface GeoDatabase {
  findLocation: FindLocation
  /** Stops watching the file. */
  close(): void
}

/** Interval at which the file is checked for changes. */
const CHECK_MS = 5_000

/**
 * Opens a database in MaxMind's format and reads it again when the file is replaced. If the new
 * file cannot be read, the former content stays in use. Addresses never leave this machine.
 * @param path null if the operator has no database
 */
export async function openGeoDatabase(
  path: string | null,
  logger: Logger,
  checkMs: number = CHECK_MS,
): Promise<GeoDatabase> {
  if (path === null) return { findLocation: () => null, close: () => {} }
  let database = await maxmind.open<CityResponse>(path).catch((error) => {
    throw new Error(`GEO_DATABASE cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  const reload = async () => {
    try {
      database = await maxmind.open<CityResponse>(path)
    } catch (error) {
      logger.error({ err: error }, 'the changed GEO_DATABASE cannot be read, its former content stays in use')
    }
  }
  // The option `watchForUpdates` of maxmind is not used: an error of its reload would end the
  // process. Reloads run one after another, so that the newest file is used last.
  let lastReload = Promise.resolve()
  const onChange = () => {
    lastReload = lastReload.then(reload)
  }
  watchFile(path, { persistent: false, interval: checkMs }, onChange)
  return {
    findLocation(network) {
      const address = network && getAddress(network)
      return address && maxmind.validate(address) ? describeLocation(database.get(address)) : null
    },
    close: () => unwatchFile(path, onChange),
  }
}

function describeLocation(cityResponse: CityResponse | null): string | null {
  const names = [cityResponse?.city?.names.en, cityResponse?.country?.names.en].filter((name) => name !== undefined)
  return names.length === 0 ? null : names.join(', ')
}
