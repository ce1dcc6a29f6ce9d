import { existsSync } from 'node:fs'
import { readVersion } from '../read-version.ts'
import type { CliEnvironment } from './command.ts'
import { readSecret } from './read-secret.ts'
import { runCli } from './run-cli.ts'

/** Runs the command in `process.argv`. `verifyAlert` handles the arguments of `verify`. */
export async function main({ verifyAlert, demo }: Pick<CliEnvironment, 'verifyAlert' | 'demo'>): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    // npm runs scripts in the project's root folder. INIT_CWD is the folder in which npm was
    // called.
    folder: process.env.INIT_CWD ?? process.cwd(),
    version: readVersion(),
    program: process.env.npm_lifecycle_event === 'tocsin' ? 'npm run tocsin --' : 'tocsin',
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    readSecret,
    isInteractive: process.stdin.isTTY === true,
    verifyAlert,
    demo,
  })
}
