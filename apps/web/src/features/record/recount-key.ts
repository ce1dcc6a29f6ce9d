/** Query key of the recount, also for the button that starts it. */
export const recountKey = ['recount']
