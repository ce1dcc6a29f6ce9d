import type { Alert } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatCount } from '../../ui/count.ts'
import { formatClock } from '../../ui/format-time.ts'
import { Mark } from '../../ui/identity/logo.tsx'
import { OutcomeGlyph } from '../../ui/identity/outcome-glyph.tsx'
import { Glyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { formatAlertAnchorDelay, formatConfidence, getSealState } from '../alert/alert-texts.ts'
import { outcomeSentences } from '../prediction/outcome-sentences.ts'
import { getOutcomeKind, getOutcomeShape } from '../prediction/outcome-state.ts'
import { formatAnomalyType, formatHorizon, isSimulated } from '../prediction/prediction-names.ts'
import { formatAmounts } from '../prediction/prediction-texts.ts'
import { formatDay } from './alert-texts.ts'
import { estimateWidth, wrapText } from './wrap-text.ts'

const cardSize = { width: 1200, height: 630 }

/**
 * Colours of the dark theme. They become style rules, which the renderer of the picture supports.
 */
const colours = {
  'ink-0': '#070d11',
  'ink-1': '#070d11',
  'line-1': '#263137',
  'line-2': '#617078',
  'text-1': '#ecf1f3',
  'text-2': '#afb9be',
  'text-3': '#89969d',
  signal: '#19e5e5',
  seal: '#c59af6',
  critical: '#fe545c',
  high: '#fc984c',
  medium: '#e5d15a',
  low: '#61cb7c',
}
const colorRules = Object.entries(colours).map(([name, value]) => {
  const shortName = name.replace('text-', '')
  return `.fill-${name}{fill:${value}}.stroke-${name}{stroke:${value}}.text-${shortName}{color:${value}}`
})

const leftPx = 72
const rightPx = cardSize.width - leftPx
const titleBox = { sizePx: 52, widthPx: 720, maxLines: 3 }
const columnXs = [leftPx, 506, 804] as const

/** The picture for link previews, as an SVG with the fonts of `fonts/card`. Times are in UTC. */
export function AlertCard({ alert, nowMs }: { alert: Alert; nowMs: number }) {
  const { width, height } = cardSize
  const issuedMs = Date.parse(alert.createdAt)
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{printable(alert.summary)}</title>
      <style>{colorRules.join('')}</style>
      <rect width={width} height={height} className="fill-ink-0" />
      <rect x={32.5} y={32.5} width={width - 65} height={height - 65} fill="none" className="stroke-line-1" />
      <path d={formatTicks(32.5, width - 32.5, 32.5, height - 32.5)} fill="none" className="stroke-text-3" />
      <g transform="translate(74 72)">
        <Mark size={40} />
      </g>
      <Words x={128} y={104} face="Title" size={36}>
        Tocsin
      </Words>
      <Words x={rightPx} y={102} face="Data" size={28} look="text-2" anchor="end">
        #{formatCount(alert.logIndex)}
      </Words>
      <Notes alert={alert} />
      <Subject alert={alert} />
      {wrapText(printable(alert.summary), titleBox).map((line, index) => (
        <Words key={line} x={leftPx} y={280 + 62 * index} face="Title" size={titleBox.sizePx} spacing={-0.78}>
          {line}
        </Words>
      ))}
      <g transform="translate(832 156)">
        <Seal leafHash={alert.leafHash} root={alert.root} state={getSealState(alert)} size={280} />
      </g>
      <path d={`M${leftPx} 477.5H${rightPx}`} className="stroke-line-2" />
      <Fact column={0} label="Issued, UTC">
        {formatDay(issuedMs)} {formatClock(issuedMs)}
      </Fact>
      <Fact column={1} label="Anchored on chain">
        {formatAnchorDelay(alert)}
      </Fact>
      <Expectation alert={alert} nowMs={nowMs} />
    </svg>
  )
}

const supersededLabels = { correction: 'Corrected', retraction: 'Retracted' } as const

/**
 * Notes in the corner, where there is always enough space. The picture of a corrected or retracted
 * alert must say so.
 */
function Notes({ alert }: { alert: Alert }) {
  const { supersededBy } = alert
  const notes = [
    ...(supersededBy ? [`${supersededLabels[supersededBy.kind]} by #${formatCount(supersededBy.logIndex)}`] : []),
    ...(isSimulated(alert) ? ['Simulated market'] : []),
  ]
  return notes.map((note, index) => (
    <Words key={note} x={rightPx} y={136 + 32 * index} face="Strong" size={24} anchor="end">
      {note}
    </Words>
  ))
}

const subjectWidth = 700
const subjectSize = 30

/** Priority and asset, followed by the type if there is enough space. */
function Subject({ alert }: { alert: Alert }) {
  const { shape, text, word } = priorityStyles[alert.priority]
  const truncate = (words: string, widthPx: number) =>
    wrapText(printable(words), { sizePx: subjectSize, widthPx, maxLines: 1 })[0] ?? ''
  const availablePx = subjectWidth - estimateWidth(word, subjectSize)
  const asset = truncate(alert.asset, availablePx - 60)
  const remainingPx = availablePx - estimateWidth(asset, subjectSize)
  return (
    <>
      <g transform="translate(72 180)">
        <Glyph shape={shape} size={28} className={text} />
      </g>
      <text y={204} fontSize={28} className="fill-text-1">
        <tspan x={116} fontFamily="Card Strong">
          {word}
        </tspan>
        <tspan dx={18} fontFamily="Card Strong">
          {asset}
        </tspan>
        {remainingPx > 100 && (
          <tspan dx={18} fontFamily="Card Text" className="fill-text-2">
            {truncate(formatAnomalyType(alert), remainingPx)}
          </tspan>
        )}
      </text>
    </>
  )
}

function formatAnchorDelay(alert: Alert): string {
  const delay = formatAlertAnchorDelay(alert)
  return delay === null ? 'not yet' : `${delay} later`
}

/**
 * The prediction and its outcome, or else the confidence. It contains no later price, because the
 * picture can't be updated.
 */
function Expectation({ alert, nowMs }: { alert: Alert; nowMs: number }) {
  const kind = getOutcomeKind(alert, nowMs)
  const { prediction } = alert
  if (!prediction || kind === null) {
    return (
      <Fact column={2} label="Confidence">
        {formatConfidence(alert.confidence)}
      </Fact>
    )
  }
  const [, , x] = columnXs
  const [expected, measured] = formatAmounts(prediction, alert.outcome)
  return (
    <>
      <Label x={x}>
        Next {formatHorizon(prediction.horizonSeconds)}: {expected} expected
      </Label>
      <g transform={`translate(${x} 527)`}>
        <OutcomeGlyph shape={getOutcomeShape(kind)} size={26} share={1} />
      </g>
      <Words x={x + 40} y={550} face="Strong" size={28}>
        {outcomeSentences[kind]}
      </Words>
      <Words x={x} y={583} face="Text" size={20} look="text-2">
        {[
          ...(measured === null ? [] : [`measured ${measured}`]),
          `${formatConfidence(alert.confidence)} confident`,
        ].join(', ')}
      </Words>
    </>
  )
}

function Fact({ column, label, children }: { column: 0 | 1 | 2; label: string; children: ReactNode }) {
  const x = columnXs[column]
  return (
    <>
      <Label x={x}>{label}</Label>
      <Words x={x} y={551} face="Data" size={30}>
        {children}
      </Words>
    </>
  )
}

function Label({ x, children }: { x: number; children: ReactNode }) {
  const words = [children].flat().join('')
  return (
    <Words x={x} y={517} face="Data" size={18} look="text-2" spacing={0.7}>
      {words.toUpperCase()}
    </Words>
  )
}

type WordsProps = {
  x: number
  y: number
  face: 'Title' | 'Strong' | 'Text' | 'Data'
  size: number
  look?: 'text-1' | 'text-2'
  spacing?: number
  anchor?: 'start' | 'end'
  children: ReactNode
}

function Words({ x, y, face, size, look = 'text-1', spacing = 0, anchor = 'start', children }: WordsProps) {
  return (
    <text
      x={x}
      y={y}
      fontFamily={`Card ${face}`}
      fontSize={size}
      letterSpacing={spacing}
      textAnchor={anchor}
      className={`fill-${look}`}
    >
      {children}
    </text>
  )
}

/** Corner ticks of 6 px. */
function formatTicks(x1: number, x2: number, y1: number, y2: number): string {
  const formatCorner = (x: number, y: number, toX: number, toY: number) => `M${x} ${y + toY}V${y}H${x + toX}`
  return (
    formatCorner(x1, y1, 6, 6) +
    formatCorner(x2, y1, -6, 6) +
    formatCorner(x1, y2, 6, -6) +
    formatCorner(x2, y2, -6, -6)
  )
}

/** Replaces all control characters by spaces, because XML does not allow most of them. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
}
