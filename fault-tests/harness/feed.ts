import { startSignalServer } from '@tocsin/server/signal-server.ts'
import type { WebSocket } from 'ws'
import { createOutcomeMessage, createPredictedSignal } from '../../apps/server/test/support/outcome-test-bed.ts'
import type { Journal } from './journal.ts'

/** A signal feed that repeats its recent messages on each connection, as the engine does. */
export interface Feed {
  url: string
  start(): void
  /** Sends the last 100 messages again, each twice and in random order. */
  resendDisordered(random: () => number): void
  /** Drops the connection. The server may connect again immediately. */
  drop(): void
  /** Drops every connection until `accept` is called. */
  refuse(): void
  accept(): void
  stop(): void
  close(): Promise<void>
}

export const FEED_KEY = 'a key of the signal feed'
const SENT_RETENTION_MS = 4 * 60_000
const TICK_MS = 50
/** Every 25th signal has a prediction. Its horizon of five minutes has already ended. */
const SIGNALS_PER_PREDICTION = 25
const OBSERVATION_AGE_MS = 8 * 60_000
const OUTCOME_DELAY_MS = 8_000

export async function startFeed(seed: number, perSecond: number, journal: Journal): Promise<Feed> {
  const sockets = new Set<WebSocket>()
  const sentMessages: { text: string; atMs: number }[] = []
  let timer: NodeJS.Timeout | undefined
  let count = 0
  let isRefusing = false
  const server = await startSignalServer({
    apiKey: FEED_KEY,
    onConnection(socket) {
      if (isRefusing) return socket.terminate()
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      for (const { text } of sentMessages) socket.send(text)
    },
  })
  const drop = () => {
    for (const socket of sockets) socket.terminate()
  }
  const sendMessage = (text: string) => {
    sentMessages.push({ text, atMs: Date.now() })
    while (sentMessages[0] && sentMessages[0].atMs < Date.now() - SENT_RETENTION_MS) sentMessages.shift()
    for (const socket of sockets) socket.send(text)
  }
  const sendSignal = () => {
    count += 1
    const number = count
    const id = `fault-${seed}-${number}`
    const canary = `canary-feed-${number}-`
    journal.issued.push({ source: 'feed', canary, signalId: id, sentAtMs: Date.now(), acknowledged: null })
    const content = { asset: `F${number}/USDT`, summary: `Fault test ${canary}` }
    if (number % SIGNALS_PER_PREDICTION !== 0)
      return sendMessage(JSON.stringify({ id, ...signalDefaults, ...content, observedAt: formatNow() }))
    const text = createPredictedSignal(id, new Date(Date.now() - OBSERVATION_AGE_MS), content)
    sendMessage(text)
    // The prices of all candles are 100, except the last one if the prediction comes true.
    const comesTrue = number % (2 * SIGNALS_PER_PREDICTION) === 0
    setTimeout(() => {
      if (timer === undefined) return
      sendMessage(createOutcomeMessage(text, { last: comesTrue ? '101' : '100' }))
      journal.outcomes.push({ signalId: id, verdict: comesTrue ? 'came-true' : 'did-not' })
    }, OUTCOME_DELAY_MS)
  }
  return {
    url: server.url,
    start() {
      const beganAtMs = performance.now()
      timer = setInterval(() => {
        const dueCount = countDueSignals((performance.now() - beganAtMs) / 1_000, perSecond)
        while (count < dueCount) sendSignal()
      }, TICK_MS)
    },
    resendDisordered(random) {
      const recentTexts = sentMessages.slice(-100).flatMap(({ text }) => [text, text])
      const shuffledTexts = recentTexts.map((text) => ({ text, order: random() })).sort((a, b) => a.order - b.order)
      for (const { text } of shuffledTexts) for (const socket of sockets) socket.send(text)
    },
    drop,
    refuse() {
      isRefusing = true
      drop()
    },
    accept() {
      isRefusing = false
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
    close: server.close,
  }
}

const PERIOD_SECONDS = 10
const BURST_SECONDS = 2
/** Rate between bursts, as a share of the rate in a burst. */
const QUIET_RATE_SHARE = 1 / 5

/** Returns the rate in a burst. `perSecond` is the average rate. */
export function computeBurstRate(perSecond: number): number {
  return (perSecond * PERIOD_SECONDS) / (BURST_SECONDS + (PERIOD_SECONDS - BURST_SECONDS) * QUIET_RATE_SHARE)
}

/**
 * Returns the number of signals that are due after this time. Two of every ten seconds are a burst.
 */
export function countDueSignals(passedSeconds: number, perSecond: number): number {
  const periods = Math.floor(passedSeconds / PERIOD_SECONDS)
  const secondsInPeriod = passedSeconds % PERIOD_SECONDS
  const burstEquivalentSeconds =
    Math.min(secondsInPeriod, BURST_SECONDS) + Math.max(0, secondsInPeriod - BURST_SECONDS) * QUIET_RATE_SHARE
  return Math.floor(periods * perSecond * PERIOD_SECONDS + burstEquivalentSeconds * computeBurstRate(perSecond))
}

const formatNow = () => new Date().toISOString()
const signalDefaults = {
  anomalyType: 'Volume spike',
  confidence: 91.5,
  regime: 'High volatility',
  priority: 'high',
} as const
