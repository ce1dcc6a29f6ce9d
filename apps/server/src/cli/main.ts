import { existsSync, readFileSync } from 'node:fs'
import type { Surroundings } from './command.ts'
import { readSecret } from './read-secret.ts'
import { runCli } from './run-cli.ts'

/** Runs the command that was typed. @param verifyAlert what `verify` hands its arguments to */
export async function main(verifyAlert: Surroundings['verifyAlert']): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    // npm starts us in the project's folder, wherever it was called.
    folder: process.env.INIT_CWD ?? process.cwd(),
    version: readVersion(),
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    readSecret,
    isInteractive: process.stdin.isTTY === true,
    verifyAlert,
  })
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
