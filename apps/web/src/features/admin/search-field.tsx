import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { TextField } from '../../ui/text-field.tsx'

const settleMs = 250

interface SearchFieldProps {
  label: string
  placeholder: string
  /** What is searched for now. */
  value: string
  /** The shortcut that leads here. */
  keys?: string
  onSearch: (search: string) => void
  className?: string
}

/** Searches when the typing pauses. */
export function SearchField({ label, placeholder, value, keys, onSearch, className }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const [searched, setSearched] = useState(value)
  // Back, or "Clear", has changed what is searched for.
  if (value !== searched) {
    setSearched(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === searched) return
    const timer = setTimeout(() => {
      setSearched(typed)
      onSearch(typed)
    }, settleMs)
    return () => clearTimeout(timer)
  }, [typed, searched, onSearch])
  return (
    <TextField
      hideLabel
      type="search"
      label={label}
      placeholder={placeholder}
      icon={Search}
      size="sm"
      maxLength={200}
      data-keys={keys}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      {...(className === undefined ? {} : { className })}
    />
  )
}
