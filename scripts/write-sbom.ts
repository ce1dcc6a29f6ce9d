import { execFileSync } from 'node:child_process'
import { makeReproducible, type Sbom } from './release/sbom.ts'

// Prints the packages that production runs as a CycloneDX document: npm run -s sbom. Equal packages
// give equal bytes. The time of the document is SOURCE_DATE_EPOCH (seconds), or is left out.

const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
const workspaces = ['apps/server', 'apps/engine', 'apps/web'].flatMap((path) => ['--workspace', path])
const output = execFileSync('npm', [...args, ...workspaces], { encoding: 'utf8', maxBuffer: 2 ** 26 })
const epochSeconds = process.env.SOURCE_DATE_EPOCH
const sbom = makeReproducible(JSON.parse(output) as Sbom, epochSeconds ? new Date(Number(epochSeconds) * 1_000) : null)
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`)
