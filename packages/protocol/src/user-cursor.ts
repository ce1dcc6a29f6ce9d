/**
 * Returns the cursor of the page that follows this user in the list of users, newest first. It does
 * not name the user alone, because that account may be deleted before the next page is requested.
 */
export function userCursor({ createdAt, id }: { createdAt: string | Date; id: string }): string {
  return `${new Date(createdAt).getTime()}.${id}`
}
