/** The processor time in milliseconds that something takes, which other programs of the machine do not lengthen. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
