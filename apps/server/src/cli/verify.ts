import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSettings } from '../read-config.ts'
import type { Command } from './command.ts'

/** Takes and answers what tocsin-verify does; a program of its own, which trusts nothing of this installation. */
export const verify: Command = {
  name: 'verify',
  summary: 'Checks an alert, from its proof bundle or as it was copied. All arguments of tocsin-verify are understood.',
  usage: ['<alert.json> [options]'],
  options: {},
  files: 1,
  async run({ files: args }, around) {
    const at = args.findIndex((argument) => argument.endsWith('.json'))
    const file = args[at]
    if (file === undefined) return around.verifyAlert(args)
    const path = resolve(around.folder, file)
    const given = args.map((argument, index) => (index === at ? path : argument))
    if (args.some((argument) => /^--(from-)?url\b/.test(argument)) || isBundle(path)) return around.verifyAlert(given)
    // An alert by itself needs the log's key list: this installation's own has it.
    const { set, port } = readSettings(around.env)
    return around.verifyAlert([...given, '--url', set.PUBLIC_URL ?? `http://localhost:${port}`])
  },
}

/** What can't be read is left to the verifier, which says why. */
function isBundle(path: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null && 'format' in value
  } catch {
    return true
  }
}
