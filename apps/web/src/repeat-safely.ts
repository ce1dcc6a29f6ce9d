/** Pauses between the attempts of one call, which together outlast a rolling restart of the server. */
const PAUSES_MS = [1_000, 3_000]
/** Answers of a proxy, or of a server that is starting or stopping: they do not say whether the call had an effect. */
const UNCERTAIN = new Set([502, 503, 504])

/** Keys of calls whose outcome is unknown, so that pressing the button again repeats the call instead of making another one. */
const keysByRequest = new Map<string, string>()

/**
 * Sends a creating call with an Idempotency-Key, again with the same key if no certain answer arrives.
 * @param request identifies the call and its content
 * @throws TypeError when the server can't be reached, and whatever an aborted request throws
 */
export async function repeatSafely(request: string, send: (key: string) => Promise<Response>): Promise<Response> {
  const key = keysByRequest.get(request) ?? crypto.randomUUID()
  keysByRequest.set(request, key)
  const answer = await sendUntilCertain(() => send(key))
  if (answer.status < 500 && !(await isRunning(answer))) keysByRequest.delete(request)
  return answer
}

async function sendUntilCertain(send: () => Promise<Response>): Promise<Response> {
  for (const pauseMs of PAUSES_MS) {
    const answer = await send().catch(answerIfUnreachable)
    if (answer && !UNCERTAIN.has(answer.status) && !(await isRunning(answer))) return answer
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return send()
}

/** `fetch` throws a TypeError for network failures. Anything else, such as an abort, ends the attempts. */
function answerIfUnreachable(error: unknown): null {
  if (error instanceof TypeError) return null
  throw error
}

async function isRunning(answer: Response): Promise<boolean> {
  return answer.status === 409 && (await answer.clone().text()).includes('"idempotency_running"')
}
