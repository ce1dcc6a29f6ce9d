import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { TextField } from './text-field.tsx'

const debounceMs = 250

interface SearchFieldProps {
  label: string
  placeholder: string
  /** The current search, without spaces around it. */
  value: string
  /** Keyboard shortcut that focuses the field. */
  keys?: string
  /** Called with the text without spaces around it. */
  onSearch: (search: string) => void
  className?: string
}

/** A search field that is debounced. */
export function SearchField({ label, placeholder, value, keys, onSearch, className }: SearchFieldProps) {
  const [typedText, setTypedText] = useState(value)
  const [searchedText, setSearchedText] = useState(value)
  const search = typedText.trim()
  // The search was changed from outside, by Back or "Clear".
  if (value !== searchedText) {
    setSearchedText(value)
    setTypedText(value)
  }
  useEffect(() => {
    if (search === searchedText) return
    const timer = setTimeout(() => {
      setSearchedText(search)
      onSearch(search)
    }, debounceMs)
    return () => clearTimeout(timer)
  }, [search, searchedText, onSearch])
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
      value={typedText}
      onChange={({ target }) => setTypedText(target.value)}
      {...(className === undefined ? {} : { className })}
    />
  )
}
