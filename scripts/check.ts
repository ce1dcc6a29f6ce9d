import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { envExample } from '../apps/server/src/settings-table.ts'
import { buildContracts } from '../contracts/build.ts'
import { type Outcome, run, runTool } from './run.ts'

interface Check {
  name: string
  run(): Promise<Outcome>
}

const typeCheck = (project: string): Check => ({
  name: `types of ${project}`,
  run: () => runTool('tsc', ['-p', project], { quiet: true }),
})

const checks: Check[] = [
  { name: 'format and lint', run: () => run('node_modules/.bin/biome', ['ci', '--colors=off', '.'], { quiet: true }) },
  typeCheck('packages/proof'),
  typeCheck('packages/protocol'),
  typeCheck('apps/server'),
  typeCheck('apps/web'),
  typeCheck('.'),
  {
    name: 'imports go down only',
    run: () =>
      runTool('depcruise', ['apps', 'packages', 'contracts', '--config', '.dependency-cruiser.cjs'], { quiet: true }),
  },
  { name: 'nothing unused', run: () => runTool('knip', ['--no-progress'], { quiet: true }) },
  {
    name: '.env.example is true',
    run: async () => {
      const current = readFileSync('.env.example', 'utf8') === envExample()
      return { code: current ? 0 : 1, output: 'Run node --import tsx scripts/write-env-example.ts\n' }
    },
  },
]

/** Every check that needs no running product. Prints a line each, and what a failing one said. */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  if (!existsSync('contracts/abi.ts')) await buildContracts()
  let failed = 0
  for (const check of checks) {
    const startedAt = performance.now()
    const { code, output } = await check.run()
    console.log(
      `${code === 0 ? 'ok  ' : 'FAIL'} ${check.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
    )
    if (code === 0) continue
    failed += 1
    console.log(output)
  }
  return { passed: checks.length - failed, failed }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { failed } = await runChecks()
  process.exitCode = failed > 0 ? 1 : 0
}
