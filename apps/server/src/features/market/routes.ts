import { readSignalMessage } from '@tocsin/proof'
import type { endpoints } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { type Actor, type Handler, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findReadAccess, findVisibility } from '../access/read-access.ts'
import { findSignalMessage } from '../alerts/store.ts'
import type { MarketData } from './market-data.ts'

type Prices = Handler<(typeof endpoints)['livePrices']>
type Candles = Handler<(typeof endpoints)['marketCandles']>
type Progress = Handler<(typeof endpoints)['alertProgress']>

const isEntitled = async (ctx: Context, actor: Actor) => (await findReadAccess(ctx, actor)).subscribed

/**
 * Creates the routes of market data. Live prices are for subscribers. Others get the same response
 * as without a source.
 */
export function createMarketRoutes(market: Pick<MarketData, 'prices' | 'progressOf' | 'candlesOf'>) {
  const livePrices: Prices = async (ctx, input) => {
    const newestPrices = market.prices()
    return newestPrices.prices.length > 0 && (await isEntitled(ctx, requireActor(input))) ? newestPrices : null
  }

  /** Candles are for subscribers, like prices. */
  const marketCandles: Candles = async (ctx, input) =>
    (await isEntitled(ctx, requireActor(input))) ? market.candlesOf(input.query) : null

  /** Gives the same response for unreadable and for unknown alerts. */
  const alertProgress: Progress = async (ctx, input) => {
    const { params } = input
    const actor = requireActor(input)
    const isAllowed = isUuid(params.id) && (await isEntitled(ctx, actor))
    const signalMessage = isAllowed
      ? await findSignalMessage(ctx.db, await findVisibility(ctx, actor), params.id)
      : null
    if (!signalMessage) throw new Refusal('not_found', 'Alert not found, or you do not have access to its progress')
    // The origin `demo` accepts the predictions of both origins.
    const forecast = signalMessage.message === null ? null : readSignalMessage(signalMessage.message, 'demo').forecast
    return { progress: forecast && market.progressOf(forecast.prediction) }
  }
  return { livePrices, marketCandles, alertProgress }
}
