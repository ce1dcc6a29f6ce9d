import { runCommand } from './command.ts'
import { readStream } from './input.ts'

/** Runs `tocsin-verify` in this process and returns its exit code. */
export function verifyAlert(args: string[]): Promise<number> {
  return runCommand(args, {
    readInput: () => readStream(process.stdin),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    isWatched: process.stderr.isTTY === true,
  })
}
