import { AnnouncementsPanel } from './announcements-panel.tsx'
import { MessagesPanel } from './messages-panel.tsx'

/** Announcements, and messages that are sent to many accounts. */
export function OutreachView() {
  return (
    <>
      <AnnouncementsPanel />
      <MessagesPanel />
    </>
  )
}
