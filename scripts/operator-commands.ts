#!/usr/bin/env node
import { main } from '../apps/server/src/cli/main.ts'
import { runCommand } from '../apps/verify/src/command.ts'
import { readStream } from '../apps/verify/src/input.ts'

// Entry point of the operator commands. `npm run tocsin` runs it from the sources; the build
// bundles it into one file for machines without them.

await main((args) =>
  runCommand(args, {
    readInput: () => readStream(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    isWatched: process.stderr.isTTY === true,
  }),
)
