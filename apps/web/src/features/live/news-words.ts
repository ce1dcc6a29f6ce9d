import type { Priority } from '@tocsin/protocol'
import { liveTexts } from '../../texts/live.ts'

const texts = liveTexts.newsWords

export type News = { priority: Priority; asset: string; anomalyType: string }

/** "3 new alerts, 1 critical": what a screen reader hears of several at once. Empty when each was told by itself already. */
export function newsWords(news: readonly News[]): string {
  const critical = news.filter(({ priority }) => priority === 'critical').length
  if (critical === news.length) return ''
  const alerts = texts.newAlerts({ count: news.length })
  return critical > 0 ? texts.withCritical({ alerts, critical }) : alerts
}

export function criticalWords({ asset, anomalyType }: News): string {
  return texts.criticalAlert({ asset, anomalyType: anomalyType === '' ? '' : `, ${anomalyType}` })
}

const gatherMs = 1_000
const pauseMs = 10_000

/** Gathers alerts and tells of them together: at first after a second, then every ten seconds at most. */
export class NewsTeller {
  #news: News[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #mayTellAtMs = 0
  readonly #tell: (words: string) => void

  constructor(tell: (words: string) => void) {
    this.#tell = tell
  }

  add(news: News): void {
    this.#news.push(news)
    this.#timer ??= setTimeout(() => this.#tellAll(), Math.max(gatherMs, this.#mayTellAtMs - Date.now()))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#news = []
  }

  #tellAll(): void {
    const words = newsWords(this.#news)
    this.stop()
    this.#mayTellAtMs = Date.now() + pauseMs
    if (words !== '') this.#tell(words)
  }
}
