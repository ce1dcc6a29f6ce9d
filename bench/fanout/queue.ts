import type { ChildProcess } from 'node:child_process'

export interface Queue<T> {
  push(value: T): void
  /**
   * Returns the next value, or waits for it. Several callers may wait at the same time.
   * @throws Error if the process has ended and no value is left
   */
  next(): Promise<T>
}

/** Creates a queue of the values that a child process sends. */
export function createQueue<T>(child: ChildProcess): Queue<T> {
  const values: T[] = []
  const waiters: { resolve(value: T): void; reject(error: Error): void }[] = []
  let endError: Error | null = null
  const end = (error: Error) => {
    endError = error
    for (const { reject } of waiters.splice(0)) reject(error)
  }
  child.once('error', end)
  child.once('exit', (code, signal) =>
    end(new Error(`A measured process has ended with ${code ?? signal}: ${child.spawnargs.join(' ')}`)),
  )
  return {
    push(value) {
      const first = waiters.shift()
      if (first) first.resolve(value)
      else values.push(value)
    },
    async next() {
      const [value] = values
      if (value !== undefined) {
        values.shift()
        return value
      }
      if (endError) throw endError
      return new Promise<T>((resolve, reject) => waiters.push({ resolve, reject }))
    },
  }
}
