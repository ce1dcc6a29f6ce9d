import { existsSync } from 'node:fs'
import { readVersion } from '../read-version.ts'
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
    program: process.env.npm_lifecycle_event === 'tocsin' ? 'npm run tocsin --' : 'tocsin',
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    readSecret,
    isInteractive: process.stdin.isTTY === true,
    verifyAlert,
  })
}
