/** By how many milliseconds the server's clock is ahead of the browser's, from the latest answer. */
let aheadMs = 0

/** Answers of the API are never cached, so their date is the time at which they came. */
export function readClock(response: Response) {
  const at = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(at)) aheadMs = at - Date.now()
}

/** The time by the server's clock, to the second. The server compares times with its own, and a browser's may be wrong. */
export const serverNow = () => Date.now() + aheadMs

/** Reads the clock from an answer on its way. */
export async function withClock<Answer extends { response: Response }>(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked
  readClock(answer.response)
  return answer
}
