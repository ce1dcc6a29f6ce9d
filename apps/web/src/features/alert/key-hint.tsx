import { usePreferences } from '../../session/preferences.ts'

/**
 * Shows the keyboard shortcut of a button inside the button. Renders nothing if shortcuts are off,
 * and is hidden on small screens.
 */
export function KeyHint({ children }: { children: string }) {
  const { preferences } = usePreferences()
  if (!preferences.shortcuts) return null
  return (
    <kbd
      aria-hidden
      className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-control border border-current/50 px-1 text-data leading-none touch:hidden max-xl:hidden"
    >
      {children}
    </kbd>
  )
}
