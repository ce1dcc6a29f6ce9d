import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSettings } from '../read-config.ts'
import type { Command } from './command.ts'

/**
 * Passes its arguments to tocsin-verify, a separate program that does not trust this installation.
 */
export const verify: Command = {
  name: 'verify',
  summary: 'Verifies an alert from a proof bundle or a copied alert. Accepts all arguments of tocsin-verify.',
  usage: ['<alert.json> [options]'],
  options: {},
  files: 1,
  async run({ files: args }, cli) {
    const fileIndex = args.findIndex((argument) => argument.endsWith('.json'))
    const file = args[fileIndex]
    if (file === undefined) return cli.verifyAlert(args)
    const path = resolve(cli.folder, file)
    const resolvedArgs = args.map((argument, index) => (index === fileIndex ? path : argument))
    if (args.some((argument) => /^--(from-)?url\b/.test(argument)) || isBundle(path))
      return cli.verifyAlert(resolvedArgs)
    // Verifying a single alert needs the log's key list. Read it from this installation.
    const { set, port } = readSettings(cli.env)
    return cli.verifyAlert([...resolvedArgs, '--url', set.PUBLIC_URL ?? `http://localhost:${port}`])
  },
}

/**
 * True if the file contains a bundle. Also true for unreadable files, because the verifier reports
 * the error.
 */
function isBundle(path: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null && 'format' in value
  } catch {
    return true
  }
}
