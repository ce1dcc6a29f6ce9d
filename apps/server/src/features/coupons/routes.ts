import type { endpoints } from '@tocsin/protocol'
import type { FastifyRequest } from 'fastify'
import { getNetwork } from '../../http/network.ts'
import { type Actor, type Handler, requireActor } from '../../http/route.ts'
import { presentSubscription } from '../subscriptions/present.ts'
import * as service from './service.ts'

type Endpoints = typeof endpoints

export const quoteCoupon: Handler<Endpoints['quoteCoupon']> = (ctx, input) =>
  service.quoteCoupon(ctx, getRedeemer(input), input.body.couponCode)

export const redeemCoupon: Handler<Endpoints['redeemCoupon']> = async (ctx, input) => {
  const { couponCode: code, planType: planId } = input.body
  const subscription = await service.redeemCoupon(ctx, getRedeemer(input), { code, planId })
  return presentSubscription(subscription, ctx.clock.now())
}

function getRedeemer(input: { actor: Actor | null; request: FastifyRequest }): service.Redeemer {
  const { accountId, sessionId } = requireActor(input)
  return { accountId, sessionId, network: getNetwork(input.request.ip) }
}
