/** The reason why a frame or a trade is not used. Reasons are counted and shown in the status. */
export type RefusalReason =
  | 'not-text'
  | 'too-large'
  | 'not-json'
  | 'unknown-shape'
  | 'bad-number'
  | 'bad-count'
  | 'bad-price'
  | 'bad-amount'
  | 'bad-side'
  | 'bad-time'
  | 'time-in-future'
  | 'time-in-past'
  | 'other-market'
  | 'number-backwards'

/** A trade as one venue reports it, before the market's checks. */
export interface WireTrade {
  /** The exchange's symbol. */
  symbol: string
  number: number
  count: number
  /** Milliseconds since 1970. */
  at: number
  price: number
  amount: number
  takerSide: 'buy' | 'sell'
}

export type Frame =
  /** Trades. A snapshot repeats trades that were sent before. */
  | { kind: 'trades'; trades: WireTrade[]; refused: RefusalReason[]; isSnapshot?: boolean }
  /** The newest trade number of a market, from a heartbeat or an old trade. */
  | { kind: 'newest'; symbol: string; number: number }
  /** Any other message, which only proves that the connection works. */
  | { kind: 'alive' }
  | { kind: 'subscribed' }
  | { kind: 'rejected'; message: string }
  /** A request of the server that its clients connect again. */
  | { kind: 'restart' }
  | { kind: 'refused'; reason: RefusalReason }

export const aliveFrame: Frame = { kind: 'alive' }
export const subscribedFrame: Frame = { kind: 'subscribed' }
export const restartFrame: Frame = { kind: 'restart' }

export function createRefusal(reason: RefusalReason): Frame {
  return { kind: 'refused', reason }
}

/** The fields of one trade, unparsed. */
export interface TradeTexts {
  symbol: unknown
  number: unknown
  count: unknown
  /** Milliseconds or microseconds since 1970, or ISO 8601. */
  time: unknown
  price: unknown
  amount: unknown
  side: 'buy' | 'sell' | null
}

const PRICE_PATTERN = /^\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?$/
const DATE_PREFIX = /^\d{4}-\d\d-\d\dT/
const DATE_PREFIX_LENGTH = 11
const TIME_OF_DAY_PATTERN = /T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/
const CODE_OF_ZERO = 48
/** Character code of the decimal point, relative to the code of 0. */
const DECIMAL_POINT_DIGIT = -2
const MAX_DIGITS = 16
const EXACT_DIGITS = 15
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent)
/**
 * Maximum of a price or amount: above any value of a real market, and far below the point where
 * sums overflow.
 */
const MAX_VALUE = 1e15
/** Smallest value of a time in microseconds. As milliseconds, 10^14 is the year 5138. */
const FIRST_MICROSECONDS = 1e14

/** Parses a trade. Returns the trade, or the reason why it is invalid. */
export function toTrade(texts: TradeTexts): WireTrade | RefusalReason {
  const { symbol, side } = texts
  if (typeof symbol !== 'string') return 'unknown-shape'
  const number = parseWholeNumber(texts.number)
  if (number === null) return 'bad-number'
  const count = texts.count === undefined ? 1 : parseWholeNumber(texts.count)
  if (count === null || count < 1 || count > number + 1) return 'bad-count'
  const price = parseAmount(texts.price)
  if (price === null) return 'bad-price'
  const amount = parseAmount(texts.amount)
  if (amount === null) return 'bad-amount'
  if (side === null) return 'bad-side'
  const at = parseTime(texts.time)
  if (at === null) return 'bad-time'
  return { symbol, number, count, at, price, amount, takerSide: side }
}

/** Parses a list of trades. Returns the valid trades, and the reasons why others were refused. */
export function toTrades(list: readonly TradeTexts[]): Frame & { kind: 'trades' } {
  const trades: WireTrade[] = []
  const refusalReasons: RefusalReason[] = []
  for (const texts of list) {
    const trade = toTrade(texts)
    if (typeof trade === 'string') refusalReasons.push(trade)
    else trades.push(trade)
  }
  return { kind: 'trades', trades, refused: refusalReasons }
}

/**
 * Parses a safe integer that is not negative. Uses a loop for speed, because this parses every
 * number of every trade.
 */
export function parseWholeNumber(text: unknown): number | null {
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_DIGITS) return null
  let value = 0
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - CODE_OF_ZERO
    if (digit < 0 || digit > 9) return null
    value = 10 * value + digit
  }
  return Number.isSafeInteger(value) ? value : null
}

function parseAmount(text: unknown): number | null {
  if (typeof text !== 'string') return null
  const value = parseShortDecimal(text) ?? (PRICE_PATTERN.test(text) ? Number(text) : 0)
  return value > 0 && value <= MAX_VALUE ? value : null
}

/**
 * Parses a decimal of up to 15 digits without an exponent. Returns the same as `Number`: both
 * operands of the division are exact, so its result is the nearest binary64 value. Returns null for
 * other texts.
 */
function parseShortDecimal(text: string): number | null {
  if (text.length > EXACT_DIGITS + 1) return null
  let digits = 0
  let point = -1
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - CODE_OF_ZERO
    if (digit >= 0 && digit <= 9) digits = 10 * digits + digit
    else if (digit === DECIMAL_POINT_DIGIT && point < 0 && index > 0 && index < text.length - 1) point = index
    else return null
  }
  if (point < 0) return text.length <= EXACT_DIGITS ? digits : null
  return digits / (POWERS_OF_TEN[text.length - point - 1] ?? Number.NaN)
}

function parseTime(text: unknown): number | null {
  const value = parseWholeNumber(text)
  if (value !== null) return value < FIRST_MICROSECONDS ? value : Math.floor(value / 1_000)
  return typeof text === 'string' ? parseIsoTime(text) : null
}

let newestDay = { text: '', at: Number.NaN }

/**
 * Parses an ISO 8601 time and truncates digits below the millisecond. Calls `Date.parse` only when
 * the day changes, because it would take as long as parsing the rest of a trade.
 */
function parseIsoTime(text: string): number | null {
  if (!newestDay.text || !text.startsWith(newestDay.text)) {
    if (!DATE_PREFIX.test(text)) return null
    const day = text.slice(0, DATE_PREFIX_LENGTH)
    newestDay = { text: day, at: Date.parse(`${day}00:00:00Z`) }
  }
  if (!TIME_OF_DAY_PATTERN.test(text)) return null
  const secondOfDay = 3_600 * parseTwoDigits(text, 11) + 60 * parseTwoDigits(text, 14) + parseTwoDigits(text, 17)
  let fraction = 0
  for (let index = 20; index < 23; index++) {
    const digit = text.charCodeAt(index) - CODE_OF_ZERO
    fraction = 10 * fraction + (index < text.length - 1 && digit >= 0 && digit <= 9 ? digit : 0)
  }
  const result = newestDay.at + 1_000 * secondOfDay + fraction
  return Number.isNaN(result) ? null : result
}

function parseTwoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - CODE_OF_ZERO) + text.charCodeAt(at + 1) - CODE_OF_ZERO
}

/** Returns the value as an object, or null if it is not a JSON object. */
export function toObject(value: unknown): Record<string, unknown> | null {
  // The cast is safe: keys of a JSON object are strings, and its values stay unknown.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

export function toList(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null
}

/** Shortens a text of the exchange for logs and the status, and replaces control characters. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.slice(0, 200).replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '�')
}
