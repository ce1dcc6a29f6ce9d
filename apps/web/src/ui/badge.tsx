import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph, type GlyphShape } from './identity/priority-glyph.tsx'

export type BadgeTone = 'ok' | 'medium' | 'critical' | 'neutral'

const tones: Record<BadgeTone, { shape: GlyphShape; edge: string; glyph: string }> = {
  ok: { shape: 'dot', edge: 'border-ok', glyph: 'text-ok' },
  medium: { shape: 'dot', edge: 'border-medium', glyph: 'text-medium' },
  critical: { shape: 'diamond', edge: 'border-critical', glyph: 'text-critical' },
  neutral: { shape: 'ring', edge: 'border-line-2', glyph: 'text-2' },
}

export type BadgeProps = {
  tone?: BadgeTone
  /** Omits the glyph. */
  plain?: boolean
  children: ReactNode
  className?: string
}

/** A state in a few words, 20 px high, with a border and glyph in the colour of the tone. */
export function Badge({ tone = 'neutral', plain = false, children, className }: BadgeProps) {
  const { shape, edge, glyph } = tones[tone]
  return (
    <span
      className={classNames(
        'inline-flex h-5 shrink-0 items-center gap-1.5 rounded-control border px-1.5 text-hint font-medium whitespace-nowrap text-1',
        edge,
        className,
      )}
    >
      {!plain && <Glyph shape={shape} size={8} className={glyph} />}
      {children}
    </span>
  )
}

/** A count in a filled 20 px square. Renders nothing for 0, and "99+" above 99. */
export function CountBadge({ count, label, className }: { count: number; label?: string; className?: string }) {
  if (count <= 0) return null
  return (
    <span
      className={classNames(
        'inline-flex h-5 min-w-5 items-center justify-center rounded-control bg-text-1 px-1 font-mono text-[11px]/4 font-medium text-ink-0',
        className,
      )}
    >
      {count > 99 ? '99+' : count}
      {label !== undefined && <span className="sr-only"> {label}</span>}
    </span>
  )
}
