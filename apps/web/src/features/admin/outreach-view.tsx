import { AnnouncementsPanel } from './announcements-panel.tsx'
import { MessagesPanel } from './messages-panel.tsx'

/** Announcements and messages to many people. */
export function OutreachView() {
  return (
    <>
      <AnnouncementsPanel />
      <MessagesPanel />
    </>
  )
}
