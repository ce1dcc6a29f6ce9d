import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CliEnvironment } from '../../src/cli/command.ts'
import { runCli } from '../../src/cli/run-cli.ts'

export interface CliTestBed {
  folder: string
  /** Runs a command. `typed` has the answers to its prompts. */
  run(
    args: string,
    input?: { env?: Record<string, string>; typed?: string[]; program?: string },
  ): Promise<{ code: number; out: string; err: string; verified: string[][] }>
  remove(): void
}

export function createCliTestBed(env: Record<string, string>): CliTestBed {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-cli-'))
  return {
    folder,
    async run(args, input = {}) {
      const output = { out: '', err: '' }
      const typed = [...(input.typed ?? [])]
      const verified: string[][] = []
      const cli: CliEnvironment = {
        env: input.env ?? env,
        folder,
        version: '0.0.0-test',
        program: input.program ?? 'npm run tocsin --',
        out(line) {
          output.out += `${line}\n`
        },
        err(line) {
          output.err += `${line}\n`
        },
        readSecret: async () => typed.shift() ?? '',
        isInteractive: (input.typed?.length ?? 0) > 1,
        verifyAlert: async (verifierArgs) => verified.push(verifierArgs) && 3,
        demo: null,
      }
      const code = await runCli(args.split(' ').filter(Boolean), cli)
      return { code, ...output, verified }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
