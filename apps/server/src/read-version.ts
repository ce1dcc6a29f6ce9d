import { readFileSync } from 'node:fs'

/** The package's version. Sources and bundles alike lie one folder under it. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
