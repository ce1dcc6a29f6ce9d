import { classNames } from '../class-names.ts'

/** `none`: an empty square, for alerts without a prediction. */
export type OutcomeShape = 'none' | 'open' | 'came-true' | 'did-not' | 'void' | 'overdue'

const shapeClasses: Record<OutcomeShape, string> = {
  none: 'text-3',
  open: 'text-2',
  'came-true': 'text-1',
  'did-not': 'text-2',
  void: 'text-3',
  overdue: 'text-medium',
}

type OutcomeGlyphProps = {
  shape: OutcomeShape
  /** Width and height in px. The glyph is drawn on a grid of 16. */
  size: number
  /**
   * Remaining share of the time that the prediction covers, from 0 to 1. An open square is filled
   * to this share, from the bottom.
   */
  share?: number
  className?: string
}

/**
 * The glyph of an outcome. Its square shape distinguishes it from priorities and seals without
 * colour.
 */
export function OutcomeGlyph({ shape, size, share = 0, className }: OutcomeGlyphProps) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      className={classNames('shrink-0', shapeClasses[shape], className)}
    >
      {shape === 'came-true' ? (
        <>
          <rect x={0.5} y={0.5} width={15} height={15} fill="currentColor" />
          <path d="M4 8.2 L7 11 L12 5.2" strokeWidth={2} className="stroke-ink-1" />
        </>
      ) : (
        <rect x={0.5} y={0.5} width={15} height={15} strokeDasharray={shape === 'void' ? '2.8 2.8' : undefined} />
      )}
      {shape === 'open' && (
        <rect x={3} y={3 + 10 * (1 - share)} width={10} height={10 * share} fill="currentColor" stroke="none" />
      )}
      {shape === 'did-not' && (
        <path d="M4.8 4.8 L11.2 11.2 M11.2 4.8 L4.8 11.2" strokeWidth={1.5} className="stroke-text-1" />
      )}
      {shape === 'void' && <path d="M4.5 8 H11.5" strokeWidth={1.5} className="stroke-text-2" />}
      {shape === 'overdue' && <path d="M8 3.5 V9 M8 11 V12.8" strokeWidth={1.75} />}
    </svg>
  )
}
