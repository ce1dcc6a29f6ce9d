import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'

const MAX_CHIPS = 50

interface NameChipsProps {
  id: string
  /** Label of the list, for example "Assets". It also names the text field. */
  label: string
  /** Noun for one entry, for example "asset". */
  one: string
  names: readonly string[]
  suggestions: readonly string[]
  /** Shown while the list is empty: an empty list allows everything. */
  all: string
  onChange: (names: string[]) => void
  /** More chips, shown with the chips of the names. */
  children?: ReactNode
}

/** Shows names as chips, with a text field that adds a name. */
export function NameChips({ id, label, one, names, suggestions, all, onChange, children }: NameChipsProps) {
  // Null after the text field was closed; undefined if it was never open.
  const [text, setText] = useState<string | null>()
  const isFull = names.length >= MAX_CHIPS
  const add = () => {
    const name = text?.trim() ?? ''
    if (name !== '' && !names.includes(name)) onChange([...names, name])
    setText(null)
  }
  return (
    <fieldset>
      <legend className="mb-1.5 text-base font-medium">
        {label} {names.length === 0 && <span className="font-normal text-2">{all}</span>}
      </legend>
      <div className="flex flex-wrap gap-2">
        {names.map((name) => (
          <Chip
            key={name}
            removable
            aria-label={`Remove ${name}`}
            onClick={({ currentTarget: { nextElementSibling: next } }) => {
              // Move the focus to the next chip, or to the text field, before the chip is removed.
              const nextFocus = next instanceof HTMLButtonElement ? next : next?.querySelector('input')
              nextFocus?.focus()
              onChange(names.filter((each) => each !== name))
            }}
          >
            {name}
          </Chip>
        ))}
        {typeof text !== 'string' ? (
          <Chip
            // The chip replaces the text field that had the focus.
            autoFocus={text === null}
            aria-disabled={isFull}
            aria-label={`Add ${one}`}
            onClick={() => !isFull && setText('')}
          >
            <Plus aria-hidden size={14} strokeWidth={2.25} />
            <span className="capitalize">{one}</span>
          </Chip>
        ) : (
          <form
            noValidate
            className="flex gap-2"
            onSubmit={(event) => {
              event.preventDefault()
              add()
            }}
          >
            <input
              id={id}
              // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
              autoFocus
              aria-label={`New ${one}`}
              list={`${id}-suggestions`}
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={({ key }) => {
                if (key === 'Escape') setText(null)
              }}
              autoComplete="off"
              maxLength={80}
              className="control h-7 w-36 px-2 text-base touch:h-9"
            />
            <datalist id={`${id}-suggestions`}>
              {suggestions
                .filter((name) => !names.includes(name))
                .map((name) => (
                  <option key={name} value={name} />
                ))}
            </datalist>
            <Button type="submit" size="sm">
              Add
            </Button>
          </form>
        )}
        {children}
      </div>
    </fieldset>
  )
}
