import { exitCodes, type Outcome, type Step, type TrustedValue } from './outcome.ts'
import { printable, printableJson } from './printable.ts'

const stepStyles: Record<Step['status'], { glyph: string; word: string; color: number }> = {
  passed: { glyph: '✓', word: 'passed', color: 32 },
  failed: { glyph: '✗', word: 'FAILED', color: 31 },
  skipped: { glyph: '-', word: 'not run', color: 2 },
  pending: { glyph: '…', word: 'not yet', color: 33 },
  unavailable: { glyph: '?', word: 'unknown', color: 33 },
  unproven: { glyph: '?', word: 'unproven', color: 33 },
}

const headlines: Record<Outcome['verdict'], { text: string; color: number }> = {
  verified: { text: 'VERIFIED', color: 32 },
  failed: { text: 'FAILED', color: 31 },
  usage: { text: 'NOT RUN', color: 33 },
  'not-anchored': { text: 'NOT ANCHORED YET', color: 33 },
  unavailable: { text: 'CANNOT CHECK NOW', color: 33 },
  unpinned: { text: 'NOT VERIFIED', color: 33 },
  'time-not-proven': { text: 'TIME OF ISSUE NOT PROVEN', color: 33 },
  'outcome-time-not-proven': { text: 'TIME OF OUTCOME NOT PROVEN', color: 33 },
}

const trustNames: Record<TrustedValue['name'], { label: string; option: string }> = {
  firstSigner: { label: 'First signer', option: '--first-signer' },
  contract: { label: 'Anchor contract', option: '--contract' },
  chainId: { label: 'Chain id', option: '--chain-id' },
  rpc: { label: 'Chain node', option: '--rpc' },
  paymentRpc: { label: 'Payment node', option: '--payment-rpc' },
}

const sourceLabels: Record<TrustedValue['source'], string> = {
  given: 'given by you',
  bundle: 'from the bundle',
  receipt: 'from the receipt',
  server: 'from the server',
  file: 'from the file',
  'not-asked': 'named in the file, not contacted',
}

/** Formats the outcome for a terminal, with aligned lines and all external text escaped. */
export function printOutcome(outcome: Outcome, color: boolean): string {
  const paint = (text: string, code: number) => (color ? `\x1b[${code}m${text}\x1b[0m` : text)
  const { text, color: code } = headlines[outcome.verdict]
  const paragraphs = [
    outcome.subject ? [printable(outcome.subject)] : [],
    printSteps(outcome.steps, paint),
    [`${paint(text, code)}  ${printable(outcome.conclusion)}`, ...outcome.notes.map(printable)],
    printTrust(outcome.trusted),
  ]
  return `${paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')}`
}

function printSteps(steps: readonly Step[], paint: (text: string, code: number) => string): string[] {
  const titleWidth = Math.max(0, ...steps.map(({ title }) => title.length))
  return steps.map(({ title, status, reason }, i) => {
    const { glyph, word, color } = stepStyles[status]
    const state = paint(`${glyph} ${word.padEnd(7)}`, color)
    return `  ${i + 1}  ${title.padEnd(titleWidth)}  ${state}  ${printable(reason)}`
  })
}

function printTrust(trusted: readonly TrustedValue[]): string[] {
  if (trusted.length === 0) return []
  const rows = trusted.map(({ name, value, source }) => [trustNames[name].label, String(value), sourceLabels[source]])
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map(
    ([label = '', value = '', source = '']) =>
      `  ${label.padEnd(widths[0] ?? 0)}  ${printable(value).padEnd(widths[1] ?? 0)}  ${source}`,
  )
  return ['This rests on', ...lines, ...explainTrust(trusted)]
}

/** Explains which values are not pinned, so that an unpinned result does not look verified. */
function explainTrust(trusted: readonly TrustedValue[]): string[] {
  const unpinned = trusted.filter(({ source }) => source !== 'given')
  const [first] = unpinned
  if (!first) return []
  const chooserText = first.source === 'server' ? 'The operator of the server' : 'The author of the file'
  const pins = unpinned.map(({ name, value }) => `${trustNames[name].option} ${printable(String(value))}`)
  return [
    `${chooserText} chose the values that come from it. Compare them with a source that you trust,`,
    'then pin them, and the check rests on nothing else:',
    `  ${pins.join(' ')}`,
  ]
}

export function printOutcomeJson(outcome: Outcome): string {
  const { verdict, steps, failure, trusted, subject, conclusion, notes, facts } = outcome
  return `${printableJson({ verdict, exitCode: exitCodes[verdict], subject, conclusion, steps, failure, trusted, notes, ...facts })}\n`
}
