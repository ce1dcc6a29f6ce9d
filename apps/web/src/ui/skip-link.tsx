/** Skip link, first in tab order: jumps past the header to `#page`. */
export function SkipLink() {
  return (
    <a
      href="#page"
      className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-ink-3 px-3 py-2 focus:translate-y-0 print:hidden"
    >
      Skip to content
    </a>
  )
}
