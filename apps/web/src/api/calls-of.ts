import type { Endpoint, EndpointName } from '@tocsin/protocol'

/** What the browser needs of an endpoint. */
type Call = Pick<Endpoint, 'method' | 'path' | 'responseType' | 'creates'>
export type Calls = { readonly [name in EndpointName]?: Call }

/** A table of endpoints without schemas and texts. */
export function callsOf(table: { readonly [name: string]: Endpoint }): Calls {
  return Object.fromEntries(
    Object.entries(table).map(([name, { method, path, responseType, creates }]) => [
      name,
      { method, path, responseType, creates },
    ]),
  )
}
