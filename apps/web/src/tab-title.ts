let page = ''
let unread = 0

/** Names the page in the browser's tab. */
export function nameTab(title: string): void {
  page = title
  write()
}

/** Says in the tab's title, and on the icon of an installed app, how many alerts wait to be read. */
export function countInTab(count: number): void {
  unread = count
  write()
  // Browsers without such icons have neither call; where it is forbidden the title says it all the same.
  if (!('setAppBadge' in navigator)) return
  const set = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()
  set.catch(() => {})
}

function write(): void {
  const count = unread > 99 ? '99+' : String(unread)
  document.title = `${unread > 0 ? `(${count}) ` : ''}${page} · Tocsin`
}
