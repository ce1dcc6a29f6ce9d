#!/usr/bin/env node
import { main } from '../apps/server/src/cli/main.ts'
import { runCommand } from '../apps/verify/src/command.ts'
import { readStream } from '../apps/verify/src/input.ts'

// The operator's commands, whole. `npm run tocsin` runs them from the sources; the build makes one
// file of them, for machines that have no more than the server.

await main((args) =>
  runCommand(args, {
    readInput: () => readStream(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    isWatched: process.stderr.isTTY === true,
  }),
)
