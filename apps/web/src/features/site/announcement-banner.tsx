import type { Announcement } from '@tocsin/protocol'
import { X } from 'lucide-react'
import { useState } from 'react'
import { browserStorage } from '../../browser/browser-storage.ts'

const storageKey = 'dismissedAnnouncements'
/** Maximum number of ids that are stored. When it is exceeded, the oldest ids are dropped. */
const maxDismissedIds = 50

function readDismissedIds(): string[] {
  const text = browserStorage.getItem(storageKey)
  return text === null || text === '' ? [] : text.split(' ')
}

/**
 * The announcements above the page. They take up space in the layout, so that they cover nothing.
 * The browser stores which ones were dismissed.
 */
export function AnnouncementBanner({ announcements }: { announcements: readonly Announcement[] }) {
  const [dismissedIds, setDismissedIds] = useState(readDismissedIds)
  const shownAnnouncements = announcements.filter(({ id }) => !dismissedIds.includes(id))
  if (shownAnnouncements.length === 0) return null

  function dismiss(id: string) {
    const nextIds = [...readDismissedIds(), id].slice(-maxDismissedIds)
    browserStorage.setItem(storageKey, nextIds.join(' '))
    setDismissedIds(nextIds)
  }

  return (
    <section aria-label="Announcements" className="divide-y divide-line-2 border-b border-line-2 bg-ink-2">
      {shownAnnouncements.map(({ id, text }) => (
        <div key={id} className="flex items-center justify-center gap-4 px-6 py-1.5 phone:px-4">
          <p className="min-w-0 text-base wrap-anywhere">{text}</p>
          <button
            type="button"
            aria-label={`Dismiss: ${text}`}
            onClick={() => dismiss(id)}
            className="touch-target inline-flex size-7 shrink-0 items-center justify-center rounded-control text-2 hover:bg-ink-3 hover:text-1"
          >
            <X aria-hidden size={16} strokeWidth={2.25} />
          </button>
        </div>
      ))}
    </section>
  )
}
