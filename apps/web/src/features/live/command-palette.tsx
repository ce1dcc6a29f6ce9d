import { useRouter } from '@tanstack/react-router'
import { Command, useCommandState } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useRef, useState } from 'react'
import { formatCount } from '../../ui/count.ts'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Time } from '../../ui/time.tsx'
import { Key } from './key.tsx'
import { matchesText, splitMatches } from './palette-match.ts'
import { type PaletteEntry, usePaletteEntries } from './use-palette-entries.ts'

/** Searches pages, assets, recent alerts and actions, and opens or runs the chosen one. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const groups = usePaletteEntries()
  const [text, setText] = useState('')
  const focusReturn = useFocusReturn()
  const chosen = useRef<(() => void) | null>(null)
  const opensTab = useRef(false)

  function choose({ href, run }: PaletteEntry) {
    if (href !== undefined && opensTab.current) window.open(href, '_blank', 'noopener')
    else chosen.current = href === undefined ? (run ?? null) : () => router.history.push(href)
    onClose()
  }
  // Runs before cmdk selects the entry.
  const readModifier = ({ ctrlKey, metaKey }: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey'>) => {
    opensTab.current = ctrlKey || metaKey
  }

  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div data-scroll-lock className="fixed inset-0 z-40 animate-fade bg-scrim p-6 pt-[10vh] phone:p-0">
          <Radix.Content
            aria-describedby={undefined}
            {...focusReturn}
            onCloseAutoFocus={(event) => {
              focusReturn.onCloseAutoFocus(event)
              // After the focus is back: an action may move it, for example to the search field.
              chosen.current?.()
            }}
            className="mx-auto w-full max-w-[640px] animate-rise rounded-float border border-line-2 bg-ink-1 shadow-float outline-none phone:max-w-none"
          >
            <Radix.Title className="sr-only">Command palette</Radix.Title>
            <Command
              label="Search pages, assets, alerts and actions"
              loop
              vimBindings={false}
              filter={(value, search) => (matchesText(value, search) ? 1 : 0)}
              onKeyDown={readModifier}
              onPointerDownCapture={readModifier}
            >
              <div className="flex h-13 items-center gap-3 border-b border-line-1 px-4">
                <Search aria-hidden size={18} strokeWidth={2} className="shrink-0 text-2" />
                <Command.Input
                  value={text}
                  onValueChange={setText}
                  placeholder="Search or jump to…"
                  className="h-full min-w-0 flex-1 bg-transparent text-body outline-none placeholder:text-3 touch:text-[16px]"
                />
                <ResultCount />
                <Radix.Close className="touch-target rounded-control" aria-label="Close">
                  <Key>Esc</Key>
                </Radix.Close>
              </div>
              <Command.List
                label="Results"
                className="max-h-[min(60dvh,480px)] scroll-py-2 overflow-y-auto overscroll-contain pb-2"
              >
                {groups.map(({ heading, entries }) => (
                  <Command.Group
                    key={heading}
                    heading={heading}
                    className="border-line-1 not-first:border-t [&_[cmdk-group-heading]]:px-4 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1.5 [&_[cmdk-group-heading]]:font-mono [&_[cmdk-group-heading]]:text-label [&_[cmdk-group-heading]]:text-2 [&_[cmdk-group-heading]]:uppercase"
                  >
                    {entries.map((entry) => (
                      <Entry
                        key={`${entry.label} ${entry.alert?.id ?? ''}`}
                        heading={heading}
                        entry={entry}
                        text={text}
                        onChoose={() => choose(entry)}
                      />
                    ))}
                  </Command.Group>
                ))}
              </Command.List>
              <NoResults />
              <div
                aria-hidden
                className="flex h-10 items-center gap-4 border-t border-line-1 px-4 text-hint text-2 touch:hidden"
              >
                <span className="flex items-center gap-1.5">
                  <Key>↑</Key>
                  <Key>↓</Key> choose
                </span>
                <span className="flex items-center gap-1.5">
                  <Key>Enter</Key> open
                </span>
                <span className="flex items-center gap-1.5">
                  <Key>Ctrl Enter</Key> open in a new tab
                </span>
              </div>
            </Command>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}

function ResultCount() {
  const count = useCommandState(({ filtered }) => filtered.count)
  return (
    <span role="status" className="shrink-0 text-hint text-2">
      {count === 1 ? '1 result' : `${formatCount(count)} results`}
    </span>
  )
}

/** Outside of the list, which may contain only options. */
function NoResults() {
  const isEmpty = useCommandState(({ filtered }) => filtered.count === 0)
  if (!isEmpty) return null
  return <p className="px-4 pt-4 pb-6 text-base text-2">No results. Try an asset, a page or an action.</p>
}

interface EntryProps {
  heading: string
  entry: PaletteEntry
  text: string
  onChoose: () => void
}

function Entry({ heading, entry: { label, detail, keys, alert }, text, onChoose }: EntryProps) {
  const shown = detail === undefined ? label : `${label} ${detail}`
  const number = alert ? `#${formatCount(alert.logIndex)}` : ''
  return (
    <Command.Item
      value={`${shown} ${number} ${alert ? `${alert.priority} ${alert.id}` : heading}`}
      onSelect={onChoose}
      className="flex min-h-9 cursor-pointer items-center gap-3 px-4 py-1.5 text-base touch:min-h-11 aria-selected:bg-ink-3 aria-selected:shadow-[inset_2px_0_var(--color-signal)] forced-colors:aria-selected:outline-2 forced-colors:aria-selected:-outline-offset-2"
    >
      {alert && <PriorityGlyph priority={alert.priority} word className="w-20 shrink-0" />}
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">
          <Marked label={label} text={text} />
        </span>
        {detail !== undefined && (
          <span className="ml-3 text-2">
            <Marked label={detail} text={text} />
          </span>
        )}
        {number !== '' && <span className="ml-3 text-2">{number}</span>}
      </span>
      {alert && <Time at={alert.createdAt} className="shrink-0 text-2" />}
      {keys !== undefined && (
        <span aria-hidden className="flex shrink-0 gap-1 touch:hidden">
          {keys.split(' ').map((key) => (
            <Key key={key}>{key}</Key>
          ))}
        </span>
      )}
    </Command.Item>
  )
}

function Marked({ label, text }: { label: string; text: string }) {
  let at = 0
  return splitMatches(label, text).map((part) => {
    at += part.text.length
    return part.isMatch ? (
      <mark key={at} className="bg-transparent text-inherit underline underline-offset-4">
        {part.text}
      </mark>
    ) : (
      <span key={at}>{part.text}</span>
    )
  })
}
