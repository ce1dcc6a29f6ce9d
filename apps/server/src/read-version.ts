import { readFileSync } from 'node:fs'

/**
 * Returns the version of the package. Sources and bundles are both one folder below package.json.
 */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
