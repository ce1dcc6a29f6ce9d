import { Keyboard, Search, Volume2, VolumeX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { helpRequests, paletteRequests } from './help-requests.ts'
import { setMuted, useMuted } from './mute.ts'

/** Header buttons: command palette, mute (if sound is enabled) and keyboard shortcuts. */
export function ShellTools() {
  const { preferences } = usePreferences()
  return (
    <span className="flex items-center">
      <IconButton icon={Search} label="Search or jump to (Ctrl+K)" onClick={() => paletteRequests.ask()} />
      {preferences.sound && <MuteButton />}
      <IconButton
        icon={Keyboard}
        label="Keyboard shortcuts (?)"
        data-keys="?"
        onClick={() => helpRequests.ask()}
        className="max-lg:hidden"
      />
    </span>
  )
}

function MuteButton() {
  const isMuted = useMuted()
  const isBlocked = useSoundBlocked()
  const label = isMuted
    ? 'Unmute sound (m)'
    : isBlocked
      ? 'Sound waits for your first click on this page'
      : 'Mute sound (m)'
  return (
    <IconButton
      icon={isMuted || isBlocked ? VolumeX : Volume2}
      label={label}
      data-keys="m"
      aria-pressed={isMuted}
      onClick={() => setMuted(!isMuted)}
    />
  )
}

/**
 * True while the browser's autoplay policy blocks sound, which is until the first click or key
 * press.
 */
function useSoundBlocked(): boolean {
  const [isBlocked, setIsBlocked] = useState(true)
  useEffect(() => {
    let isUnmounted = false
    const names = ['pointerup', 'keydown'] as const
    const unlock = async () => {
      const { unlockSound } = await import('./sound.ts')
      const isOpen = await unlockSound()
      if (isOpen && !isUnmounted) setIsBlocked(false)
      if (isOpen) stop()
    }
    const stop = () => {
      for (const name of names) removeEventListener(name, unlock)
    }
    for (const name of names) addEventListener(name, unlock)
    // No further click is needed if the user has already interacted with the page.
    if (navigator.userActivation?.hasBeenActive) void unlock()
    return () => {
      isUnmounted = true
      stop()
    }
  }, [])
  return isBlocked
}
