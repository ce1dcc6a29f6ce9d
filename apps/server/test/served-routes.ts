import type { FastifyInstance } from 'fastify'

/**
 * Returns all routes of the server. They are parsed from the router's printed tree, which indents
 * each path segment by four columns.
 */
export function servedRoutes(app: FastifyInstance): { path: string; method: string }[] {
  const parentPaths: string[] = []
  return app
    .printRoutes({ commonPrefix: false, includeMeta: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([ │├└]*)── (\S+)(?: \((.+)\))?/.exec(line) ?? []
      const depth = Math.floor(indent.length / 4)
      const path = `${parentPaths[depth - 1] ?? ''}${part}`
      parentPaths[depth] = path
      return methods.split(', ').flatMap((method) => (method === '' || method === 'HEAD' ? [] : [{ path, method }]))
    })
}
