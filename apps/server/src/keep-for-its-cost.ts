/** What is measured for anybody may take a twentieth of the time at most. */
const REST = 20

/** Measures once for all who ask meanwhile, and keeps the answer for as long as it was costly: however many ask, the database rests. */
export function keepForItsCost<Given, Measured>(
  measure: (given: Given) => Promise<Measured>,
): (given: Given) => Promise<Measured> {
  let kept: Promise<Measured> | null = null
  return async (given) => {
    if (kept) return kept
    const startedAt = performance.now()
    const asked = measure(given)
    kept = asked
    const forget = () => {
      kept = null
    }
    asked.then(() => setTimeout(forget, (performance.now() - startedAt) * REST).unref(), forget)
    return asked
  }
}
