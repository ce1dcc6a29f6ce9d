import { Keyboard, Search, Volume2, VolumeX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useMediaQuery } from '../../ui/media-query.ts'
import { KeyboardKey } from './key.tsx'
import { setMuted, useMuted } from './mute.ts'
import { paletteRequests, shortcutsDialogRequests } from './open-requests.ts'

/** Buttons in the header: command palette, mute (if sound is enabled) and keyboard shortcuts. */
export function ShellActions() {
  const { preferences } = usePreferences()
  return (
    <span className="flex min-w-0 shrink-99 items-center gap-1">
      <PaletteButton />
      {preferences.sound && <MuteButton />}
      <IconButton
        icon={Keyboard}
        label="Keyboard shortcuts (?)"
        data-keys="?"
        onClick={() => shortcutsDialogRequests.requestOpen()}
        className="max-[100rem]:hidden"
      />
    </span>
  )
}

/**
 * Opens the command palette. The button looks like a search field, and is an icon on narrow
 * screens.
 */
function PaletteButton() {
  const label = 'Search or jump to (Ctrl+K)'
  const openPalette = () => void paletteRequests.requestOpen()
  if (!useMediaQuery('(width >= 80rem)')) return <IconButton icon={Search} label={label} onClick={openPalette} />
  return (
    <button
      type="button"
      aria-label={label}
      onClick={openPalette}
      className="flex h-8 w-55 min-w-9 items-center gap-2 rounded-control border border-line-2 px-2.5 text-hint text-2 hover:border-text-3 hover:text-1"
    >
      <Search aria-hidden size={16} strokeWidth={2.25} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate text-left">Search or jump to…</span>
      <KeyboardKey>Ctrl K</KeyboardKey>
    </button>
  )
}

function MuteButton() {
  const isMuted = useMuted()
  const isBlocked = useSoundBlocked()
  const label = isMuted
    ? 'Unmute sound (m)'
    : isBlocked
      ? 'Sound starts after your first click on this page'
      : 'Mute sound (m)'
  return (
    <IconButton
      icon={isMuted || isBlocked ? VolumeX : Volume2}
      label={label}
      data-keys="m"
      onClick={() => setMuted(!isMuted)}
    />
  )
}

/**
 * Returns whether the autoplay policy of the browser still blocks sound. It does so until the first
 * click or key press.
 */
function useSoundBlocked(): boolean {
  const [isBlocked, setIsBlocked] = useState(true)
  useEffect(() => {
    let isUnmounted = false
    const eventNames = ['pointerup', 'keydown'] as const
    const unlock = async () => {
      // `LiveOverlays` reports why sound cannot be played.
      const isUnlocked = await import('./sound.ts').then(({ unlockSound }) => unlockSound()).catch(() => false)
      if (isUnlocked && !isUnmounted) setIsBlocked(false)
      if (isUnlocked) stop()
    }
    const stop = () => {
      for (const name of eventNames) removeEventListener(name, unlock)
    }
    for (const name of eventNames) addEventListener(name, unlock)
    // If the user has already interacted with the page, sound can be unlocked without a click.
    if (navigator.userActivation?.hasBeenActive) void unlock()
    return () => {
      isUnmounted = true
      stop()
    }
  }, [])
  return isBlocked
}
