import { AnnouncementsPanel } from './announcements-panel.tsx'
import { MessagesPanel } from './messages-panel.tsx'

/** What the operator tells many people at once. */
export function OutreachView() {
  return (
    <>
      <AnnouncementsPanel />
      <MessagesPanel />
    </>
  )
}
