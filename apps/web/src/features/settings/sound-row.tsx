import { type Priority, priorities } from '@tocsin/protocol'
import { Volume2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { setMuted, useMuted } from '../live/mute.ts'
import type { PreferenceProps } from './preference-props.ts'
import { SwitchRow } from './switch-row.tsx'

/** Debounce of the volume slider. */
const debounceMs = 400

export function SoundRow({ preferences, save }: PreferenceProps) {
  const { sound, soundFrom, soundVolume } = preferences
  const isMuted = useMuted()

  function toggle(isOn: boolean) {
    save({ sound: isOn })
    // Browsers allow sound only after a user gesture. This click is one.
    if (isOn) void playTest(soundFrom, soundVolume)
  }

  return (
    <>
      <SwitchRow
        label="Sound"
        detail={
          sound
            ? 'Plays a tone for live alerts, at most one in three seconds.'
            : 'Off. Turn it on to hear alerts. Critical, high and other alerts have different tones.'
        }
        isOn={sound}
        onChange={toggle}
      />
      {sound && (
        <li className="flex flex-wrap items-end gap-x-6 gap-y-3 px-5 py-3 phone:px-4">
          <SelectField
            id="sound-from"
            label="Minimum priority"
            size="sm"
            value={soundFrom}
            onChange={({ target }) => {
              const chosenPriority = priorities.find((priority) => priority === target.value)
              if (chosenPriority) save({ soundFrom: chosenPriority })
            }}
            className="w-36"
          >
            {priorities.map((priority) => (
              <option key={priority} value={priority}>
                {priorityStyles[priority].word}
              </option>
            ))}
          </SelectField>
          <VolumeField volume={soundVolume} onChange={(next) => save({ soundVolume: next })} />
          <div className="ml-auto flex gap-2">
            {isMuted && <Button onClick={() => setMuted(false)}>Unmute this browser</Button>}
            <Button onClick={() => void playTest(soundFrom, soundVolume)}>
              <Volume2 aria-hidden size={16} strokeWidth={2.25} />
              Test
            </Button>
          </div>
        </li>
      )}
    </>
  )
}

function VolumeField({ volume, onChange }: { volume: number; onChange: (volume: number) => void }) {
  const [draft, setDraft] = useState(volume)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Saves the volume if it is not saved yet. */
  const savePending = useRef(() => {})
  // Another tab or device may have changed the volume.
  useEffect(() => setDraft(volume), [volume])
  useEffect(() => () => savePending.current(), [])

  function saveDebounced(nextVolume: number) {
    setDraft(nextVolume)
    clearTimeout(timer.current)
    const save = () => {
      clearTimeout(timer.current)
      savePending.current = () => {}
      onChange(nextVolume)
    }
    savePending.current = save
    timer.current = setTimeout(save, debounceMs)
  }

  return (
    <div>
      <label htmlFor="sound-volume" className="block text-base font-medium">
        Volume
      </label>
      <div className="mt-1.5 flex h-8 items-center gap-3 touch:h-11">
        <input
          id="sound-volume"
          type="range"
          min={0}
          max={100}
          step={5}
          value={draft}
          onChange={({ target }) => saveDebounced(Number(target.value))}
          className="h-6 w-36 accent-signal"
        />
        <span className="w-10 text-right text-data">{draft}%</span>
      </div>
    </div>
  )
}

async function playTest(priority: Priority, volume: number): Promise<void> {
  const { playTone } = await import('../live/sound.ts')
  await playTone(priority, volume)
}
