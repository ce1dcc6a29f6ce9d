let pageTitle = ''
let unreadCount = 0

/** Sets the title of the page. The tab title also contains the number of unread alerts. */
export function setTabTitle(title: string): void {
  pageTitle = title
  updateTitle()
}

/** Shows the number of unread alerts in the tab title and on the icon of an installed app. */
export function setTabUnreadCount(count: number): void {
  unreadCount = count
  updateTitle()
  writeAppBadge()
}

/**
 * Shows the number of unread alerts on the icon of an installed app. While the page was hidden, a
 * push message can have set another number.
 */
export function writeAppBadge(): void {
  // Not all browsers support badges. A rejection is ignored: the title shows the count.
  if (!('setAppBadge' in navigator)) return
  const badgeUpdate = unreadCount > 0 ? navigator.setAppBadge(unreadCount) : navigator.clearAppBadge()
  badgeUpdate.catch(() => {})
}

function updateTitle(): void {
  const count = unreadCount > 99 ? '99+' : String(unreadCount)
  document.title = `${unreadCount > 0 ? `(${count}) ` : ''}${pageTitle} · Tocsin`
}
