import { startSignalServer } from '@tocsin/server/signal-server.ts'

const TICK_MS = 20

/**
 * Starts a signal server that sends signals at a fixed rate to the first client, and reports the
 * URL of the server to the parent process.
 */
export async function startSender(perSecond: number, seconds: number): Promise<void> {
  let isFirstConnection = true
  const { url } = await startSignalServer({
    apiKey: null,
    onConnection(socket) {
      if (isFirstConnection) sendSignals((text) => socket.send(text), perSecond, perSecond * seconds)
      isFirstConnection = false
    },
  })
  process.send?.(url)
}

function sendSignals(sendText: (text: string) => void, perSecond: number, total: number): void {
  const beganAtMs = performance.now()
  let sentCount = 0
  const timer = setInterval(() => {
    const dueCount = Math.min(total, Math.floor(((performance.now() - beganAtMs) / 1_000) * perSecond))
    for (; sentCount < dueCount; sentCount++) sendText(createSignalText(sentCount))
    if (sentCount === total) clearInterval(timer)
  }, TICK_MS)
}

function createSignalText(number: number): string {
  return JSON.stringify({
    id: `bench-${number}`,
    asset: `A${number}/USDT`,
    anomalyType: 'Volume spike',
    confidence: 91.5,
    regime: 'High volatility',
    summary: 'Spot volume reached 3.2× its 7-day norm in 90 s; ask depth fell 31%.',
    priority: 'high',
    observedAt: new Date().toISOString(),
  })
}
