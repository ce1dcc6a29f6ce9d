const longestKey = 100

/**
 * The same function, which knows its last answers: for what the entries of a log have in common. Holds no more than `limit` of them, and none of
 * long texts, so that what strangers send fills no memory. Answers are shared: nobody may change one.
 */
export function remember<Answer extends object | string>(
  limit: number,
  compute: (text: string) => Answer,
): (text: string) => Answer {
  const known = new Map<string, Answer>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const answer = compute(text)
    if (text.length > longestKey) return answer
    if (known.size === limit) known.clear()
    known.set(text, answer)
    return answer
  }
}
