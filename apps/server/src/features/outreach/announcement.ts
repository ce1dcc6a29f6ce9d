import type { AdminAnnouncement, Audience } from '@tocsin/protocol'

export interface Reader {
  isSignedIn: boolean
  hasPlan: boolean
  isStaff: boolean
}

interface Addressed {
  audience: Audience
  onPublicPages: boolean
}

/** True if the announcement is for this reader. */
export function isFor({ audience, onPublicPages }: Addressed, { isSignedIn, hasPlan, isStaff }: Reader): boolean {
  if (!isSignedIn) return audience === 'all' && onPublicPages
  switch (audience) {
    case 'all':
    case 'signed-in':
      return true
    case 'with-plan':
      return hasPlan
    case 'without-plan':
      return !hasPlan
    case 'staff':
      return isStaff
  }
}

export function announcementStateAt(
  { startsAt, endsAt, endedAt }: { startsAt: Date; endsAt: Date; endedAt: Date | null },
  now: Date,
): AdminAnnouncement['state'] {
  if (endedAt) return 'ended'
  if (now < startsAt) return 'scheduled'
  return now < endsAt ? 'shown' : 'over'
}
