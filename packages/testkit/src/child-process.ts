import type { ChildProcess } from 'node:child_process'

/**
 * Resolves with the first match in the output of the process. Rejects with all output if it exits
 * first.
 */
export function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const match = pattern.exec(output)
      if (match) resolve(match)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}:\n${output}`)))
  })
}

/**
 * Kills the child when this process exits. Returns a function that kills it now and waits until it
 * has exited.
 */
export function killOnExit(child: ChildProcess, signal: NodeJS.Signals): () => Promise<void> {
  const kill = () => child.kill(signal)
  process.on('exit', kill)
  return async () => {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    kill()
    await exited
  }
}
