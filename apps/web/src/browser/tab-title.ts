let page = ''
let unread = 0

/** Sets the title of the page. The tab title also contains the number of unread alerts. */
export function setTabTitle(title: string): void {
  page = title
  write()
}

/** Shows the number of unread alerts in the tab title and on the icon of an installed app. */
export function setTabUnreadCount(count: number): void {
  unread = count
  write()
  writeAppBadge()
}

/**
 * Shows the number of unread alerts on the icon of an installed app. While the page was hidden, a
 * push message can have set another number.
 */
export function writeAppBadge(): void {
  // Not all browsers support badges. A rejection is ignored: the title shows the count.
  if (!('setAppBadge' in navigator)) return
  const set = unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge()
  set.catch(() => {})
}

function write(): void {
  const count = unread > 99 ? '99+' : String(unread)
  document.title = `${unread > 0 ? `(${count}) ` : ''}${page} · Tocsin`
}
