import { Command } from 'cmdk'
import { Suspense } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Time } from '../../ui/time.tsx'
import { KeyboardKey } from './key.tsx'
import { splitMatches } from './palette-match.ts'
import type { PaletteEntry as Entry } from './use-palette-entries.ts'

const PriceNow = lazyLoad(async () => (await import('../market/price-now.tsx')).PriceNow)
const OutcomeTag = lazyLoad(async () => (await import('../prediction/outcome-tag.tsx')).OutcomeTag)

type PaletteEntryProps = { entry: Entry; text: string; onChoose: () => void }

export function PaletteEntry({ entry, text, onChoose }: PaletteEntryProps) {
  const { label, detail, icon: Icon, isStarred, keys, alert, venueMarket } = entry
  return (
    <Command.Item
      value={entry.searchText}
      onSelect={onChoose}
      className="flex min-h-9 cursor-pointer items-center gap-3 px-4 py-1.5 text-base touch:min-h-11 aria-selected:bg-ink-3 aria-selected:shadow-[inset_2px_0_var(--color-signal)] forced-colors:aria-selected:outline-2 forced-colors:aria-selected:-outline-offset-2"
    >
      {Icon && (
        <Icon
          aria-hidden
          size={16}
          strokeWidth={2}
          className={classNames('shrink-0 text-2', isStarred && 'fill-current')}
        />
      )}
      {alert && <PriorityGlyph priority={alert.priority} word className="w-20 shrink-0" />}
      <span className="flex min-w-0 flex-1 items-baseline gap-3">
        <span className={classNames('font-medium', detail === undefined ? 'truncate' : 'shrink-0')}>
          <MarkedText label={label} text={text} />
        </span>
        {detail !== undefined && (
          <span className="min-w-0 truncate text-2">
            <MarkedText label={detail} text={text} />
          </span>
        )}
        {alert && <span className="text-data text-2 phone:hidden">#{formatCount(alert.logIndex)}</span>}
      </span>
      <Suspense>
        {venueMarket && <PriceNow venueMarket={venueMarket} className="shrink-0 text-data font-medium" />}
      </Suspense>
      {alert && (
        <>
          <Suspense>{alert.prediction && <OutcomeTag alert={alert} compact />}</Suspense>
          <Time at={alert.createdAt} className="shrink-0 text-2" />
        </>
      )}
      {keys !== undefined && (
        <span aria-hidden className="flex shrink-0 gap-1 touch:hidden">
          {keys.split(' ').map((key) => (
            <KeyboardKey key={key}>{key}</KeyboardKey>
          ))}
        </span>
      )}
    </Command.Item>
  )
}

function MarkedText({ label, text }: { label: string; text: string }) {
  let offset = 0
  return splitMatches(label, text).map((part) => {
    offset += part.text.length
    return part.isMatch ? (
      <mark key={offset} className="bg-transparent font-semibold text-inherit underline underline-offset-4">
        {part.text}
      </mark>
    ) : (
      <span key={offset}>{part.text}</span>
    )
  })
}
