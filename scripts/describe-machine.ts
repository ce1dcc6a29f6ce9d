import { cpus, loadavg, release, totalmem, type } from 'node:os'

/** Returns the date, the machine and its load average, for the output of a measurement. */
export function describeMachine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpu?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${type()} ${release()}, Node.js ${process.version}, load average ${loadavg()[0]?.toFixed(1)}`
}
