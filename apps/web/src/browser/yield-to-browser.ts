/** Yields to the event loop so that the browser can handle input and paint between long tasks. */
export const yieldToBrowser = () => new Promise((resolve) => setTimeout(resolve))
