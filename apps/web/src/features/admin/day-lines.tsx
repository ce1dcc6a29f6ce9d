import type { AdminInstance } from '@tocsin/protocol'

type State = AdminInstance['state'] | null

const fills: Record<AdminInstance['state'], string> = {
  ready: 'fill-ok',
  degraded: 'fill-medium',
  unavailable: 'fill-critical',
  stopped: 'fill-text-3',
}
const stateWords: Record<AdminInstance['state'], string> = {
  ready: 'ready',
  degraded: 'degraded',
  unavailable: 'unavailable',
  stopped: 'stopped',
}
const HEIGHT = 24

/** The last 24 hours of an instance: one bar for each step, in the colour of its worst state. */
export function StateLine({ name, states, stepSeconds }: { name: string; states: State[]; stepSeconds: number }) {
  return (
    <svg
      role="img"
      aria-label={`${name}, last 24 hours: ${describeStates(states, stepSeconds)}`}
      viewBox={`0 0 ${states.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-6 w-full"
    >
      {states.map((state, step) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity than its place
          key={step}
          x={step}
          y={state === null ? HEIGHT - 2 : 0}
          width={0.72}
          height={state === null ? 2 : HEIGHT}
          className={state === null ? 'fill-line-2' : fills[state]}
        />
      ))}
    </svg>
  )
}

/** "ready 23 h 40 min, degraded 20 min", and the time without a report. */
export function describeStates(states: readonly State[], stepSeconds: number): string {
  const counts = new Map<string, number>()
  for (const state of states) {
    const words = state === null ? 'no report' : stateWords[state]
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return [...counts].map(([words, count]) => `${words} ${hoursAndMinutes(count * stepSeconds)}`).join(', ')
}

function hoursAndMinutes(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.round((seconds % 3_600) / 60)]
  if (hours === 0) return `${minutes} min`
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`
}

/** The last 24 hours of a measurement. Steps without a value interrupt the line. */
export function ValueLine({ label, values }: { label: string; values: readonly (number | null)[] }) {
  const top = Math.max(1, ...values.map((value) => value ?? 0))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-6 w-full"
    >
      {values.map((value, step) => {
        if (value === null) return null
        const height = Math.max(1, (value / top) * HEIGHT)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity than its place
            key={step}
            x={step}
            y={HEIGHT - height}
            width={0.72}
            height={height}
            className="fill-text-3"
          />
        )
      })}
    </svg>
  )
}
