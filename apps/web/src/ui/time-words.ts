const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** Made when it is first needed: that takes longer than all else that a page does at its start. */
let local: Intl.DateTimeFormat | undefined

/** 21 Nov in UTC. */
function dayAndMonth(atMs: number): string {
  const at = new Date(atMs)
  return `${String(at.getUTCDate()).padStart(2, '0')} ${months[at.getUTCMonth()]}`
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

/** "Just now" under a minute and for times to come, then minutes, hours, days. */
export function relativeTime(atMs: number, nowMs: number): string {
  const age = nowMs - atMs
  if (age < minuteMs) return 'Just now'
  if (age < hourMs) return counted(Math.floor(age / minuteMs), 'minute')
  if (age < dayMs) return counted(Math.floor(age / hourMs), 'hour')
  return counted(Math.floor(age / dayMs), 'day')
}

/** 14:32:07 in UTC. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19)
}

/** 14:32:07 within a day of now, else 21 Nov 14:32; in UTC. */
export function exactTime(atMs: number, nowMs: number): string {
  if (Math.abs(nowMs - atMs) < dayMs) return clockTime(atMs)
  return `${dayAndMonth(atMs)} ${clockTime(atMs).slice(0, 5)}`
}

/** 21 Nov 14:32 in UTC. */
export function dateTime(atMs: number): string {
  return `${dayAndMonth(atMs)} ${clockTime(atMs).slice(0, 5)}`
}

/** Local time with its zone, then UTC: for a tooltip. */
export function fullTime(atMs: number): string {
  local ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
  return `${local.format(atMs)} (${new Date(atMs).toISOString()})`
}
