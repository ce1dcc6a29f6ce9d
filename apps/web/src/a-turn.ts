/** Lets the browser answer a press, or paint, before what comes next. */
export const aTurn = () => new Promise((resolve) => setTimeout(resolve))
