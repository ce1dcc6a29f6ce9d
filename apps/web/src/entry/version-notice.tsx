import { Button } from '../ui/button.tsx'

/**
 * Offers a reload; the page never reloads by itself. The notice takes up space above the page, so
 * that it covers nothing.
 */
export function VersionNotice() {
  return (
    <section
      aria-label="New version"
      className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-line-2 bg-ink-2 px-6 py-2 phone:px-4"
    >
      <p role="status" className="text-base">
        A new version of Tocsin is ready.
      </p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </section>
  )
}
