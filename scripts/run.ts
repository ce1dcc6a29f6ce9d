import { spawn } from 'node:child_process'

export interface RunResult {
  code: number
  output: string
}

interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** Returns the output without printing it. */
  quiet?: boolean
}

/** Runs a program and collects its output. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk
        if (!options.quiet) process.stdout.write(chunk)
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Runs a tool in node_modules/.bin. */
export function runTool(tool: string, args: string[], options: RunOptions = {}): Promise<RunResult> {
  return run(process.execPath, [`node_modules/.bin/${tool}`, ...args], options)
}
