import { spawn } from 'node:child_process'

export interface RunResult {
  code: number
  /** What the program wrote to stdout and stderr. */
  output: string
}

interface ProgramResult extends RunResult {
  stdout: string
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** Returns the output without printing it. */
  quiet?: boolean
}

/** Runs a program and collects its output. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stdout = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (stream === child.stdout) stdout += text
        if (!options.quiet) process.stdout.write(text)
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output, stdout }))
  })
}

/** Runs a tool in node_modules/.bin. */
export function runTool(tool: string, args: string[], options: RunOptions = {}): Promise<ProgramResult> {
  return run(process.execPath, [`node_modules/.bin/${tool}`, ...args], options)
}
