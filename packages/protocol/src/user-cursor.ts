/**
 * Returns the cursor of the page that follows this user in the list of users, newest first. Besides
 * the id, it contains the creation time, because the account may be deleted before the next page is
 * requested.
 */
export function userCursor({ createdAt, id }: { createdAt: string | Date; id: string }): string {
  return `${new Date(createdAt).getTime()}.${id}`
}
