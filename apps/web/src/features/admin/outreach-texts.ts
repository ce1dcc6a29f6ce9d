import { type AdminMessage, type Audience, getChain, getPlan, type Segment } from '@tocsin/protocol'
import { formatCount, formatCountOf } from '../../ui/count.ts'

export const audienceLabels: Record<Audience, string> = {
  all: 'Everyone',
  'signed-in': 'Signed-in users',
  'with-plan': 'Users with a plan',
  'without-plan': 'Users without a plan',
  staff: 'Staff',
}

export const segmentLabels: Record<Segment['kind'], string> = {
  all: 'All users',
  'with-plan': 'With a plan',
  ending: 'Plan ends within days',
  ended: 'Plan ended within days',
  'never-bought': 'Never bought a plan',
  'by-plan': 'With a certain plan',
  'by-chain': 'Paid on a chain',
}

/** Describes the recipients of a message: "Plan ends within 3 days". */
export function formatSegment(segment: Segment): string {
  switch (segment.kind) {
    case 'ending':
      return `Plan ends within ${formatDayCount(segment.days)}`
    case 'ended':
      return `Plan ended within ${formatDayCount(segment.days)}`
    case 'by-plan':
      return `With the plan ${getPlan(segment.planType).name}`
    case 'by-chain':
      return `Paid on ${getChain(segment.chainId).name}`
    default:
      return segmentLabels[segment.kind]
  }
}

/** Describes the progress of a message: "34 of 412 sent, 2 skipped". */
export function formatSendProgress({ sent, skipped, total }: Pick<AdminMessage, 'sent' | 'skipped' | 'total'>): string {
  const formatNumber = (count: number) => formatCount(count)
  return `${formatNumber(sent)} of ${formatNumber(total)} sent${skipped > 0 ? `, ${formatNumber(skipped)} skipped` : ''}`
}

const formatDayCount = (days: number) => formatCountOf(days, 'day')
