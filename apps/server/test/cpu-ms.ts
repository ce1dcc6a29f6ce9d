/**
 * Measures the CPU time of `work` in milliseconds. Unlike elapsed time, it does not depend on other
 * processes.
 */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
