import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { Checkbox } from '../../ui/checkbox.tsx'

/** Whether push messages contain the alert. Applies to all devices of the account. */
export function PushContentChoice() {
  const { preferences } = usePreferences()
  const save = useSavePreferences()
  return (
    <div className="border-t border-line-1 px-5 py-3 phone:px-4">
      <Checkbox
        label="Show the alert in push messages"
        detail="On all your devices. If off, it loads when you open the message."
        checked={preferences.pushContent}
        onChange={({ target }) => save({ pushContent: target.checked })}
      />
    </div>
  )
}
