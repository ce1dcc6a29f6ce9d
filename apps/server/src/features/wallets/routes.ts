import type { endpoints } from '@tocsin/protocol'
import { type Handler, signedIn } from '../../http/route.ts'
import * as service from './service.ts'

type Endpoints = typeof endpoints

export const createChallenge: Handler<Endpoints['createChallenge']> = async (ctx, input) => {
  const { message, expiresAt } = await service.createChallenge(ctx, signedIn(input), input.body.walletAddress)
  return { message, expiresAt: expiresAt.toISOString() }
}

export const proveWallet: Handler<Endpoints['proveWallet']> = async (ctx, input) => {
  const walletAddress = await service.proveWallet(ctx, signedIn(input), input.body)
  return { success: true, walletAddress }
}

export const findWalletUser: Handler<Endpoints['findWalletUser']> = (ctx, input) =>
  service.getWalletUser(ctx, signedIn(input), input.params.walletAddress)

export const createWalletUser: Handler<Endpoints['createWalletUser']> = async (_ctx, input) =>
  service.claimWalletUser(signedIn(input), input.body.walletAddress)
