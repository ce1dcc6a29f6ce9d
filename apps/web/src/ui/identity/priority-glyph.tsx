import type { Priority } from '@tocsin/protocol'
import { classNames } from '../class-names.ts'

export type GlyphShape = 'diamond' | 'triangle' | 'dot' | 'ring'

/** SVG path of a glyph in a 12 x 12 box. */
export function getGlyphPath(shape: GlyphShape): string {
  switch (shape) {
    case 'diamond':
      return 'M6 .4 11.6 6 6 11.6 .4 6Z'
    case 'triangle':
      return 'M6 .9 11.6 10.8H.4Z'
    case 'dot':
      return 'M1.6 6a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0-8.8 0Z'
    case 'ring':
      return 'M2.2 6a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0Z'
  }
}

type GlyphProps = { shape: GlyphShape; size?: number; className?: string }

/** A shape in the current text colour. */
export function Glyph({ shape, size = 12, className }: GlyphProps) {
  const isHollow = shape === 'ring'
  return (
    <svg
      aria-hidden
      viewBox="0 0 12 12"
      width={size}
      height={size}
      className={classNames('shrink-0', className)}
      fill={isHollow ? 'none' : 'currentColor'}
      stroke={isHollow ? 'currentColor' : 'none'}
      strokeWidth={1.6}
    >
      <path d={getGlyphPath(shape)} />
    </svg>
  )
}

/** Shape, label and colour classes of each priority. */
export const priorityStyles: Record<
  Priority,
  {
    shape: GlyphShape
    word: string
    text: string
    background: string
    border: string
    stroke: string
    tickHeight: number
  }
> = {
  critical: {
    shape: 'diamond',
    word: 'Critical',
    text: 'text-critical',
    background: 'bg-critical',
    border: 'border-l-2 border-l-critical',
    stroke: 'stroke-critical',
    tickHeight: 24,
  },
  high: {
    shape: 'triangle',
    word: 'High',
    text: 'text-high',
    background: 'bg-high',
    border: 'border-l-2 border-l-high',
    stroke: 'stroke-high',
    tickHeight: 16,
  },
  medium: {
    shape: 'dot',
    word: 'Medium',
    text: 'text-medium',
    background: 'bg-medium',
    border: 'border-l-2 border-l-medium',
    stroke: 'stroke-medium',
    tickHeight: 11,
  },
  low: {
    shape: 'ring',
    word: 'Low',
    text: 'text-low',
    background: 'bg-low',
    border: 'border-l-2 border-l-low',
    stroke: 'stroke-low',
    tickHeight: 6,
  },
}

type PriorityGlyphProps = { priority: Priority; size?: number; word?: boolean; className?: string | undefined }

/**
 * Glyph of a priority. Its label is visible if `word` is set, otherwise for screen readers only.
 */
export function PriorityGlyph({ priority, size = 12, word = false, className }: PriorityGlyphProps) {
  const styles = priorityStyles[priority]
  return (
    <span className={classNames('inline-flex items-center gap-2', className)}>
      <Glyph shape={styles.shape} size={size} className={styles.text} />
      <span className={word ? '' : 'sr-only'}>{styles.word}</span>
    </span>
  )
}
