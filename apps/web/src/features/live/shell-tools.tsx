import { Keyboard, Volume2, VolumeX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { usePreferences } from '../../preferences.ts'
import { liveTexts } from '../../texts/live.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { helpRequests } from './help-requests.ts'
import { setMuted, useMuted } from './mute.ts'

const texts = liveTexts.shellTools

/** What stands in the header for the ears and the hands: mute, while sound is on, and the keys. */
export function ShellTools() {
  const { preferences } = usePreferences()
  return (
    <span className="flex items-center">
      {preferences.sound && <MuteButton />}
      <IconButton
        icon={Keyboard}
        label={texts.keyboardShortcuts}
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
  const label = isMuted ? texts.unmuteSoundM : isBlocked ? texts.soundWaitsForYourFirst : texts.muteSoundM
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

/** Whether the browser holds sound back still: it does until somebody has clicked or typed on the page. */
function useSoundBlocked(): boolean {
  const [isBlocked, setIsBlocked] = useState(true)
  useEffect(() => {
    let isGone = false
    const names = ['pointerup', 'keydown'] as const
    const unlock = async () => {
      const { unlockSound } = await import('./sound.ts')
      const isOpen = await unlockSound()
      if (isOpen && !isGone) setIsBlocked(false)
      if (isOpen) stop()
    }
    const stop = () => {
      for (const name of names) removeEventListener(name, unlock)
    }
    for (const name of names) addEventListener(name, unlock)
    // Who has just turned sound on, or used the page before, need not click again.
    if (navigator.userActivation?.hasBeenActive) void unlock()
    return () => {
      isGone = true
      stop()
    }
  }, [])
  return isBlocked
}
