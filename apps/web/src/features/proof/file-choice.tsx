import { FileUp } from 'lucide-react'

/** A link that opens a file dialog for a JSON file. */
export function FileChoice({
  text,
  onFile,
  className = '',
}: {
  text: string
  onFile: (file: File) => void
  className?: string
}) {
  return (
    <label
      className={`link touch-target inline-flex cursor-pointer items-center gap-2 self-start text-base has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus ${className}`}
    >
      <FileUp aria-hidden size={16} strokeWidth={2.25} className="shrink-0" />
      {text}
      <input
        type="file"
        accept=".json,application/json"
        className="sr-only"
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) onFile(file)
          // Clear the input. Otherwise the browser fires no change event if the user chooses the
          // same file again.
          target.value = ''
        }}
      />
    </label>
  )
}
