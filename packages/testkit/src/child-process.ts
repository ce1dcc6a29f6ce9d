import type { ChildProcess } from 'node:child_process'

/**
 * Resolves with the first match in the output of the process. Rejects with all output if it exits
 * first, or after `timeoutMs`, which only ends tests that hang.
 */
export function waitForOutput(child: ChildProcess, pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray> {
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
    const fail = (reason: string) => reject(new Error(`${child.spawnfile} ${reason}:\n${output}`))
    // When `exit` is emitted, the last output may not be read yet.
    child.on('close', (code, signal) => fail(`ended with ${code ?? signal}`))
    if (timeoutMs !== undefined) setTimeout(fail, timeoutMs, `did not print ${pattern} in time`).unref()
  })
}

/**
 * Kills the child when this process exits. Returns a function that kills it now and waits until it
 * has exited.
 */
export function killOnExit(child: ChildProcess, signal: NodeJS.Signals): () => Promise<void> {
  const kill = () => child.kill(signal)
  process.on('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    kill()
    await exited
  }
}
