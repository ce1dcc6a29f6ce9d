import type { AdminInstance } from '@tocsin/protocol'

type State = AdminInstance['state'] | null

const stateFills: Record<AdminInstance['state'], string> = {
  ready: 'fill-ok',
  degraded: 'fill-medium',
  unavailable: 'fill-critical',
  stopped: 'fill-text-3',
}
const HEIGHT = 24

interface Bar {
  height: number
  look: string
}

/**
 * Draws one bar for each time step; together the steps fill the width. A step has no bar if its
 * entry is null.
 */
function Bars({ label, bars }: { label: string; bars: readonly (Bar | null)[] }) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${bars.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-6 w-full"
    >
      {bars.map(
        (bar, step) =>
          bar && (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its position
              key={step}
              x={step}
              y={HEIGHT - bar.height}
              width={0.72}
              height={bar.height}
              className={bar.look}
            />
          ),
      )}
    </svg>
  )
}

/**
 * Chart of the last 24 hours of an instance: one bar for each step, coloured by the worst state in
 * the step.
 */
export function StateLine({ name, states, stepSeconds }: { name: string; states: State[]; stepSeconds: number }) {
  const bars = states.map((state) =>
    state === null ? { height: 2, look: 'fill-line-2' } : { height: HEIGHT, look: stateFills[state] },
  )
  return <Bars label={`${name}, last 24 hours: ${describeStates(states, stepSeconds)}`} bars={bars} />
}

/**
 * Describes the time in each state, and the time without a report: "ready 23 h 40 min, degraded 20
 * min".
 */
export function describeStates(states: readonly State[], stepSeconds: number): string {
  const counts = new Map<string, number>()
  for (const state of states) {
    const stateText = state ?? 'no report'
    counts.set(stateText, (counts.get(stateText) ?? 0) + 1)
  }
  return [...counts].map(([words, count]) => `${words} ${formatHoursAndMinutes(count * stepSeconds)}`).join(', ')
}

function formatHoursAndMinutes(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.round((seconds % 3_600) / 60)]
  if (hours === 0) return `${minutes} min`
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`
}

/** Chart of a measurement over the last 24 hours. A step without a value has no bar. */
export function ValueLine({ label, values }: { label: string; values: readonly (number | null)[] }) {
  const maxValue = Math.max(1, ...values.map((value) => value ?? 0))
  const bars = values.map((value) =>
    value === null ? null : { height: Math.max(1, (value / maxValue) * HEIGHT), look: 'fill-text-3' },
  )
  return <Bars label={label} bars={bars} />
}
