import { inLanguage } from './language.ts'

const en = {
  countdownCells: {
    ofHoursLeft: ({ left, hours }: { left: number; hours: number }) => `${left} of ${hours} hours left`,
  },
  priorityGlyph: {
    critical: 'Critical',
    high: 'High',
    medium: 'Medium',
    low: 'Low',
  },
  pulseLayout: {
    halfDayHour: ({ hour, isMorning }: { hour: number; isMorning: boolean }) => `${hour} ${isMorning ? 'AM' : 'PM'}`,
  },
  seal: {
    notYetAnchored: 'Not yet anchored',
    signed: 'Signed',
    anchored: 'Anchored',
    failed: 'Failed',
    sealIs: ({ sealWords }: { sealWords: string }) => `Seal: ${sealWords}`,
  },
  skipLink: {
    skipToContent: 'Skip to content',
  },
  timeWords: {
    months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
    dayAndTime: ({ day, month, clock }: { day: string; month: string; clock: string }) => `${day} ${month} ${clock}`,
    halfDayClock: ({ clock, isMorning }: { clock: string; isMorning: boolean }) =>
      `${clock} ${isMorning ? 'AM' : 'PM'}`,
    minutesAgo: ({ count }: { count: number }) => `${count} ${count === 1 ? 'minute' : 'minutes'} ago`,
    hoursAgo: ({ count }: { count: number }) => `${count} ${count === 1 ? 'hour' : 'hours'} ago`,
    daysAgo: ({ count }: { count: number }) => `${count} ${count === 1 ? 'day' : 'days'} ago`,
    justNow: 'Just now',
  },
}

export const uiTexts = inLanguage({ en })
