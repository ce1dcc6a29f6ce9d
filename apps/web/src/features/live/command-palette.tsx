import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Search, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useRef, useState } from 'react'
import { formatCount } from '../../ui/count.ts'
import { closeOnEscape } from '../../ui/escape.ts'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { KeyboardKey } from './key.tsx'
import { PaletteEntry } from './palette-entry.tsx'
import { runShortcut } from './run-shortcut.ts'
import { type PaletteEntry as Entry, usePaletteEntries } from './use-palette-entries.ts'

const listKeys: readonly string[] = ['Enter', 'Home', 'End']

/**
 * Stops Enter, Home and End on a focused button from reaching cmdk, which would apply them to the
 * list of results: Enter would choose an entry.
 */
function stopListKeys(event: KeyboardEvent): void {
  if (listKeys.includes(event.key)) event.stopPropagation()
}

/**
 * Dialog that searches pages, assets, recent alerts and actions, and opens or runs the chosen
 * entry.
 */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const [text, setText] = useState('')
  const groups = usePaletteEntries(text)
  const resultCount = groups.reduce((sum, { entries }) => sum + entries.length, 0)
  const focusReturn = useFocusReturn()
  const chosenAction = useRef<(() => void) | null>(null)
  const opensNewTab = useRef(false)

  function choose({ href, run }: Pick<Entry, 'href' | 'run'>) {
    if (href !== undefined && opensNewTab.current) window.open(href, '_blank', 'noopener')
    else chosenAction.current = href === undefined ? (run ?? null) : () => router.history.push(href)
    onClose()
  }
  // Called before cmdk selects the entry. With Ctrl or Cmd, the entry opens in a new tab.
  const readModifier = ({ ctrlKey, metaKey }: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey'>) => {
    opensNewTab.current = ctrlKey || metaKey
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
              // Run the action after the focus has returned, because the action may move the focus,
              // for example to the search field.
              chosenAction.current?.()
            }}
            onKeyDown={closeOnEscape(onClose)}
            className="mx-auto flex max-h-full w-full max-w-[640px] flex-col phone:h-full animate-rise rounded-float border border-line-2 bg-ink-1 shadow-float outline-none phone:max-w-none phone:rounded-none phone:border-0"
          >
            <Radix.Title className="sr-only">Command palette</Radix.Title>
            <Command
              label="Search pages, assets, alerts and actions"
              loop
              vimBindings={false}
              shouldFilter={false}
              className="flex min-h-0 flex-1 flex-col"
              onKeyDown={readModifier}
              onPointerDownCapture={readModifier}
            >
              <div className="flex h-13 shrink-0 items-center gap-3 border-b border-line-1 px-4">
                <Search aria-hidden size={18} strokeWidth={2} className="shrink-0 text-2" />
                <Command.Input
                  value={text}
                  onValueChange={setText}
                  placeholder="Search or jump to…"
                  className="h-full min-w-0 flex-1 bg-transparent text-lead outline-none placeholder:text-3"
                />
                <span role="status" className="shrink-0 text-hint text-2">
                  {resultCount === 1 ? '1 result' : `${formatCount(resultCount)} results`}
                </span>
                <Radix.Close className="touch-target rounded-control" aria-label="Close" onKeyDown={stopListKeys}>
                  <span className="touch:hidden">
                    <KeyboardKey>Esc</KeyboardKey>
                  </span>
                  <X aria-hidden size={20} strokeWidth={1.8} className="hidden text-2 touch:block" />
                </Radix.Close>
              </div>
              <Command.List
                label="Results"
                className="max-h-[min(72dvh,560px)] min-h-0 scroll-py-2 overflow-y-auto overscroll-contain phone:max-h-none phone:flex-1"
              >
                {groups.map(({ heading, entries }) => (
                  <Command.Group
                    key={heading}
                    heading={heading}
                    className="border-line-1 not-first:border-t [&_[cmdk-group-heading]]:px-4 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1.5 [&_[cmdk-group-heading]]:font-mono [&_[cmdk-group-heading]]:text-label [&_[cmdk-group-heading]]:text-2 [&_[cmdk-group-heading]]:uppercase"
                  >
                    {entries.map((entry) => (
                      <PaletteEntry key={entry.searchText} entry={entry} text={text} onChoose={() => choose(entry)} />
                    ))}
                  </Command.Group>
                ))}
              </Command.List>
              {/* Rendered outside of the list, because an element with the role `listbox` must
                  contain only options. */}
              {resultCount === 0 && (
                <p className="px-4 pt-4 pb-6 text-base text-2">No results. Try an asset, a page or an action.</p>
              )}
              <div className="flex h-10 shrink-0 items-center gap-4 border-t border-line-1 px-4 text-hint text-2 touch:hidden">
                <span className="flex items-center gap-1.5">
                  <KeyboardKey>↑</KeyboardKey>
                  <KeyboardKey>↓</KeyboardKey> choose
                </span>
                <span className="flex items-center gap-1.5">
                  <KeyboardKey>Enter</KeyboardKey> open
                </span>
                <span className="flex items-center gap-1.5">
                  <KeyboardKey>Ctrl Enter</KeyboardKey> open in a new tab
                </span>
                <button
                  type="button"
                  onKeyDown={stopListKeys}
                  onClick={() => choose({ run: () => void runShortcut('?') })}
                  className="touch-target ml-auto flex items-center gap-1.5 rounded-control hover:text-1"
                >
                  <KeyboardKey>?</KeyboardKey> all shortcuts
                </button>
              </div>
            </Command>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}
