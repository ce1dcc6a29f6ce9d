import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { Checkbox } from '../../ui/checkbox.tsx'

/**
 * Setting that decides whether push messages contain the alert. It applies to all devices of the
 * account.
 */
export function PushContentChoice() {
  const { preferences } = usePreferences()
  const save = useSavePreferences()
  return (
    <div className="border-t border-line-1 px-5 py-3 phone:px-4">
      <Checkbox
        label="Show the alert in push messages"
        detail="Applies to all your devices. If off, push messages contain no text of the alert. Open the message to read the alert."
        checked={preferences.pushContent}
        onChange={({ target }) => save({ pushContent: target.checked })}
      />
    </div>
  )
}
