import type { Priority } from '@tocsin/protocol'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { formatConfidence } from '../alert/alert-words.ts'

interface AlertPreviewProps {
  alert: { asset: string; anomalyType: string; priority: Priority; confidence: number; summary: string }
}

/** Preview of an alert as users see it. */
export function AlertPreview({ alert: { asset, anomalyType, priority, confidence, summary } }: AlertPreviewProps) {
  return (
    <section aria-label="Preview" className="border border-line-1 bg-ink-0 p-4">
      <h3 className="text-label text-2">Preview</h3>
      <p className="mt-2 flex flex-wrap items-center gap-x-2 text-base">
        <PriorityGlyph priority={priority} word />
        <span className="font-semibold wrap-anywhere">{asset}</span>
        <span className="text-2 wrap-anywhere">{anomalyType}</span>
        <span className="ml-auto text-data">{formatConfidence(confidence)}</span>
      </p>
      <p dir="auto" className="mt-1 text-base wrap-anywhere">
        {summary}
      </p>
    </section>
  )
}
