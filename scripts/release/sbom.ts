import { createHash } from 'node:crypto'

/** The parts of a CycloneDX document (1.5) that a release reads. */
export interface Sbom {
  serialNumber: string
  metadata: { timestamp?: string; [key: string]: unknown }
  components: { name: string; version: string; licenses?: Licence[]; [key: string]: unknown }[]
  [key: string]: unknown
}
type Licence = { license?: { id?: string; name?: string }; expression?: string }

/**
 * Replaces the values that npm generates at random or reads from the clock, so that equal packages
 * give equal bytes.
 * @param releasedAt time of the document; null leaves it out
 */
export function makeReproducible(sbom: Sbom, releasedAt: Date | null): Sbom {
  const digest = createHash('sha256').update(JSON.stringify(sbom.components)).digest('hex')
  const uuid = [8, 12, 16, 20, 32].map((end, index, ends) => digest.slice(ends[index - 1] ?? 0, end)).join('-')
  const { timestamp: _random, ...metadata } = sbom.metadata
  const time = releasedAt ? { timestamp: releasedAt.toISOString() } : {}
  return { ...sbom, serialNumber: `urn:uuid:${uuid}`, metadata: { ...time, ...metadata } }
}

/** Returns one line for each package: name, version and licence. */
export function listLicences({ components }: Sbom): string {
  const lines = components.map(({ name, version, licenses = [] }) => {
    const names = licenses.flatMap(({ license, expression }) => expression ?? license?.id ?? license?.name ?? [])
    return `${name} ${version}: ${names.length > 0 ? names.join(' AND ') : 'not stated'}\n`
  })
  return [...new Set(lines)].sort().join('')
}
