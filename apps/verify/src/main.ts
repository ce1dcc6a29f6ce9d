#!/usr/bin/env node
import { isPoolThread } from './check-pool.ts'
import { runCommand } from './command.ts'
import { readStream } from './input.ts'

if (!isPoolThread) {
  process.exitCode = await runCommand(process.argv.slice(2), {
    readInput: () => readStream(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    isWatched: process.stderr.isTTY === true,
  })
}
