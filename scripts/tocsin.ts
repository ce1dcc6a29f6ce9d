import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts } from '../contracts/build.ts'
import { root } from './build-stamp.mjs'

// The operator's commands, from the sources: nothing has to be built, and no server has to run.

if (!existsSync(join(root, 'contracts/abi.ts'))) await buildContracts()

const { main } = await import('../apps/server/src/cli/main.ts')
const { runCommand } = await import('../apps/verify/src/command.ts')
const { readStream } = await import('../apps/verify/src/input.ts')

await main((args) =>
  runCommand(args, {
    readInput: () => readStream(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    isWatched: process.stderr.isTTY === true,
  }),
)
