import type { LogHead } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { presentHead } from './present.ts'
import { findHead, findNewestAnchor } from './store.ts'

export async function logHead(ctx: Context): Promise<LogHead> {
  const [head, anchor] = await Promise.all([findHead(ctx.db), findNewestAnchor(ctx.db)])
  return presentHead(head, anchor)
}
