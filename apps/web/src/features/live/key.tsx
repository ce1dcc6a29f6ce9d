/** Shows the name of a key in the shape of a key. */
export function KeyboardKey({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-6 min-w-6 items-center justify-center rounded-control border border-line-2 px-1.5 text-data">
      {children}
    </kbd>
  )
}
