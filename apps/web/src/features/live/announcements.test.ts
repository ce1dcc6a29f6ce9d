import { expect, test } from 'vitest'
import { announcements } from './announcements.ts'

test('announcements: passes none of those before `clear` when the notification code listens', () => {
  announcements.push({ kind: 'caught_up', count: 1 })
  announcements.clear()
  announcements.push({ kind: 'caught_up', count: 2 })
  const counts: number[] = []
  const stop = announcements.listen((announcement) => {
    if (announcement.kind === 'caught_up') counts.push(announcement.count)
  })
  stop()
  expect(counts).toEqual([2])
})
